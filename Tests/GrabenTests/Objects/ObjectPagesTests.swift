import GrabenFixtures
import GrabenLog
import Testing

@testable import Graben

@Entity private final class Peg: ManagedObject {
    var name: String?
}

/// Where the objects of a table stand, compared with a dictionary.
@Suite struct ObjectPagesTests {
    @Test("pages have what was put and not taken, whatever the order, and walk it by row")
    func model() throws {
        let context = try PersistentContainer(for: Peg.self, stores: [StoreConfiguration(.inMemory)]).newContext()
        let objects = (0..<40).map { _ in Peg(context: context) }
        var random = SplitMix64(seed: 3)
        var pages = ObjectPages()
        var model: [Row: Peg] = [:]
        // Beginnings and ends of words and pages, and rows far away.
        let rows = [0, 1, 63, 64, 65, 127, 1022, 1023, 1024, 1025, 2047, 2048, 5000, 70_000].map { Row($0) }
        for _ in 0..<20_000 {
            let row = rows[random.pick(rows.count)]
            switch random.pick(4) {
            case 0 where model[row] == nil:
                let object = objects[random.pick(objects.count)]
                pages.put(.passRetained(object), row)
                model[row] = object
            case 1:
                let taken = pages.take(row)
                #expect(taken?.takeRetainedValue() === model.removeValue(forKey: row))
            case 2 where random.pick(20) == 0: pages.releaseEmptyPages()
            default: break
            }
            #expect(
                pages.place(of: row)?.pointee === model[row] && pages.borrow(row) { $0 === model[row] } == (model[row] == nil ? nil : true))
            pages.prefetch(row)
            let start = Int(rows[random.pick(rows.count)]) + random.pick(3) - 1
            #expect(pages.firstRow(from: max(start, 0)) == model.keys.filter { Int($0) >= start }.min())
        }
        #expect(pages.firstRow(from: 1 << 40) == nil && pages.place(of: .max) == nil && pages.take(.max) == nil)
        for row in model.keys { pages.take(row)?.release() }
        #expect(pages.firstRow(from: 0) == nil)
        pages.deallocate()
    }

    @Test("an object is known to be nobody else's just while nobody else holds it")
    func sole() throws {
        let context = try PersistentContainer(for: Peg.self, stores: [StoreConfiguration(.inMemory)]).newContext()
        var pages = ObjectPages()
        var object: ManagedObject? = Peg(context: context)
        if let object { pages.put(.passRetained(object), 7) }
        #expect(!pages.isSole(7) && !pages.isSole(8))
        // The context keeps new objects; a reset lets it go.
        context.reset()
        #expect(!pages.isSole(7))
        object = nil
        #expect(pages.isSole(7))
        pages.take(7)?.release()
        pages.deallocate()
    }
}
