import GrabenFixtures
import Testing

@Suite struct LatticeTests {
    @Test("the lattice's lines join neighbours, each pair once, and its closed forms hold", arguments: 1...6)
    func closedForms(n: Int) {
        let lattice = Lattice(n: n)
        var degrees = [Int](repeating: 0, count: lattice.jointCount)
        var seen: Set<[Int]> = []
        for row in 0..<lattice.lineCount {
            let line = lattice.line(row)
            let (a, b) = (lattice.position(line.start), lattice.position(line.end))
            #expect((b.x - a.x) + (b.y - a.y) + (b.z - a.z) == 1 && [b.x - a.x, b.y - a.y, b.z - a.z].allSatisfy { $0 >= 0 })
            #expect(seen.insert([line.start, line.end]).inserted)
            degrees[line.start] += 1
            degrees[line.end] += 1
        }
        #expect(degrees == (0..<lattice.jointCount).map(lattice.degree))
        #expect((0..<lattice.jointCount).reduce(0) { $0 + lattice.position($1).x } == lattice.coordinateSum)
        #expect(seen.count == 3 * n * n * (n - 1))
    }

    @Test("the network of one seed is the same every time, and its names differ")
    func repeatable() {
        let (a, b) = (RandomNetwork(count: 2000), RandomNetwork(count: 2000))
        #expect((0..<2000).allSatisfy { a.x[$0] == b.x[$0] && a.name($0) == b.name($0) && a.ends[$0] == b.ends[$0] })
        #expect(Set((0..<2000).map(a.name)).count == 2000)
        #expect(Set(a.distinctRows(700)).count == 700)
    }
}
