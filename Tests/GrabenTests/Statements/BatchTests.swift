import Graben
import GrabenModel
import Testing

@Suite("Batch requests")
struct BatchTests {
    @Test("S114 batch requests skip hooks and custom validation, not the model's rules, and contexts that merge learn of them")
    func batch() throws {
        let container = try Node.container()
        let context = container.newContext()
        let node = Node(context: context)
        node.title = "a"
        try context.save()
        node.calls = []
        let other = container.newContext()
        let inserted = try other.execute(.insert(entity: "Node", [["title": "b", "level": 7], ["title": "c", "x": 2.5]]))
        #expect(inserted.count == 2 && other.statistics.commits == 0)
        #expect(try context.count(for: FetchRequest<Node>()) == 3)
        let b = try #require(try context.existingObject(with: inserted[0]) as? Node)
        #expect(b.level == 7 && b.y == 5, "defaults are in place")
        #expect(b.calls == ["awakeFromFetch"] && node.calls.isEmpty, "no hook ran for the insertion")
        let predicate = try ObjectPredicate(format: "title < 'c'")
        try #expect(other.execute(.update(entity: "Node", where: predicate, set: ["level": 9, "x": 1.0])).count == 2)
        _ = try context.fetchIDs(FetchRequest<Node>())
        #expect(node.level == 9 && b.level == 9 && b.x == 1 && !node.calls.contains("willSave"))
        try #expect(other.execute(.delete(entity: "Node", where: predicate)).count == 2)
        #expect(try context.count(for: FetchRequest<Node>()) == 1 && node.isDeleted)
        guard case .wrongType? = thrown({ _ = try other.execute(.insert(entity: "Node", [["level": "text"]])) }) else {
            Issue.record("a value of the wrong type was taken")
            return
        }
        let parts = try Registered.container().newContext()
        try parts.execute(.insert(entity: "Part", [["code": "a"]]))
        #expect(conflicts { try parts.execute(.insert(entity: "Part", [["code": "a"]])) }?.count == 1)
        #expect(try parts.count(for: FetchRequest<ManagedObject>(entity: "Part")) == 1)
    }
}
