import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Explaining a fetch, and fetching in a box")
struct ExplainTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(model: PlanWorld.model, stores: [StoreConfiguration(.inMemory)])
        context = container.newContext()
        for number in 0..<3000 {
            let item = try context.insertObject(entity: "Item")
            try item.setValue(.int(Int64(number)), forKey: "i")
            try item.setValue(.string("n\(number)"), forKey: "s")
            try item.setValue(.string("w\(number % 10)"), forKey: "w")
            try item.setValue(.int(Int64(number % 7)), forKey: "k")
            try item.setValue(.double(Double(number % 100)), forKey: "x")
            try item.setValue(.double(Double(number / 100)), forKey: "h")
        }
        try context.save()
    }

    private func request(_ format: String, sort: [ObjectSortDescriptor] = [], limit: Int = 0) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entity: "Item", predicate: try ObjectPredicate(format: format), sortDescriptors: sort)
        request.includesSubentities = false
        request.fetchLimit = limit
        return request
    }

    private func part(_ format: String, sort: [ObjectSortDescriptor] = [], limit: Int = 0) throws -> FetchExplanation.Part {
        try #require(try request(format, sort: sort, limit: limit).explain(in: context).parts.first)
    }

    @Test("equality, ranges, lists and beginnings of an indexed attribute are looked up, also behind others and in a compound index")
    func indexes() throws {
        #expect(try part("i == 7").access == .index(["i"], ranges: 1))
        #expect(try part("i == 7").tests.isEmpty && part("i == 7").estimate == 1)
        #expect(try part("i > 5 AND i <= 15").access == .index(["i"], ranges: 1))
        #expect(try part("i > 5 AND i <= 15").estimate == 10)
        #expect(try part("i IN {1, 5, nil}").access == .index(["i"], ranges: 3))
        #expect(try part("s BEGINSWITH 'n299'").access == .index(["s"], ranges: 1))
        #expect(try part("s LIKE 'n299*'").access == .index(["s"], ranges: 1))
        #expect(try part("k == 3 AND s == 'n3'").access != .everything)
        #expect(try part("w == 'w1' AND (x > 4 AND i == 7)").access == .index(["i"], ranges: 1))
        // What may fail may not be skipped, and folded texts stand in no index.
        #expect(try part("10 / i > 0 AND i == 7").access == .everything)
        #expect(try part("s ==[c] 'N299'").access == .everything)
        #expect(try part("FALSEPREDICATE").access == .nothing)
        // More than a few of all rows are found sooner by looking at all.
        #expect(try part("i > 5").access == .everything)
    }

    @Test("what an index leaves is tested by columns first, then by the bytes of records, and by the interpreter last")
    func tests() throws {
        let tests = try part("next.s == 'a' AND w != 'w1' AND x > 5 AND h < 3").tests
        #expect(tests.map(\.means) == [.column, .column, .record, .interpreter])
        #expect(tests.map(\.format) == ["x > 5", "h < 3", "w != \"w1\"", "next.s == \"a\""])
        #expect(try part("w IN {'a', nil} OR x == 3").tests.map(\.means) == [.record])
        #expect(try part("i == 7 AND x > 5").tests.map(\.format) == ["x > 5"])
    }

    @Test("the first few of an order come from an index of its first key, others are kept while all are looked at")
    func order() throws {
        let down = [ObjectSortDescriptor("i", ascending: false)]
        #expect(try part("TRUEPREDICATE", sort: down, limit: 5).access == .order("i", ascending: false))
        #expect(try part("w == 'w1'", sort: down, limit: 5).access == .order("i", ascending: false))
        #expect(try part("TRUEPREDICATE", sort: down).access == .everything)
        #expect(try part("TRUEPREDICATE", sort: [ObjectSortDescriptor("w")], limit: 5).access == .everything)
        #expect(try part("i == 7", sort: [ObjectSortDescriptor("s")], limit: 5).access == .index(["i"], ranges: 1))
        let found = try context.fetch(try request("w == 'w1'", sort: down, limit: 3)).map { try $0.value(forKey: "i") }
        #expect(found == [2991, 2981, 2971])
    }

    @Test("a plan reads as sentences")
    func text() throws {
        _ = try context.insertObject(entity: "Item")
        let explanation = try request("i == 7 AND x > 5", sort: [ObjectSortDescriptor("s", ascending: false)], limit: 10).explain(
            in: context)
        #expect(
            explanation.description == """
                Item in memory: 3,000 rows
                  reads the rows of index i: 1 range, about 1 row
                  tests x > 5 (column)
                  keeps the first 10 by -s
                  looks at 1 unsaved object besides
                """)
    }

    @Test("a box finds what lies inside and on its faces, unsaved objects included, and combines with a predicate")
    func box() throws {
        var request = try request("w == 'w1'")
        request.boundingBox = BoundingBox(from: [11, 20], to: [41, 2], keys: ["x", "h"])
        let item = try context.insertObject(entity: "Item")
        for (key, value) in ["x": 11.0, "h": 2] as [String: Double] { try item.setValue(.double(value), forKey: key) }
        try item.setValue("w1", forKey: "w")
        let found = try context.fetch(request)
        #expect(found.count == 4 * 19 + 1 && found.contains(item))
        #expect(try request.explain(in: context).parts[0].tests.map(\.means) == [.column, .column, .record])
        request.predicate = nil
        request.boundingBox = BoundingBox(from: SIMD2(0, 0), to: SIMD2(0, 0))
        // The first packed attributes are the axes where none are named.
        #expect(try context.count(for: request) == 1)
        request.boundingBox = BoundingBox(from: SIMD2(.nan, 0), to: SIMD2(1, 1))
        #expect(try context.count(for: request) == 0)
    }

    @Test("a box of more axes than the entity has, or of a key that is none of its, is a typed error")
    func boxErrors() throws {
        var request = try request("TRUEPREDICATE")
        request.boundingBox = BoundingBox(from: SIMD2(0, 0), to: SIMD2(1, 1), keys: ["x"])
        #expect(throws: GrabenError.self) { try context.count(for: request) }
        request.boundingBox = BoundingBox(from: SIMD2(0, 0), to: SIMD2(1, 1), keys: ["x", "hh"])
        #expect(throws: GrabenError.self) { try context.count(for: request) }
        request.boundingBox?.lower = []
        #expect(throws: GrabenError.self) { try context.count(for: request) }
    }
}
