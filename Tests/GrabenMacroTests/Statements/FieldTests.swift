import Graben
import Testing

@Suite("Attributes that @Entity keeps in fields")
struct FieldTests {
    private let initial: [Double?] = [4, -1, 3, nil, 7, 8, 9, nil]

    @Test("C1, C4: fields begin with the declared defaults, and change, save, undo, redo and rollback go through them")
    func fields() throws {
        let container = try memory(Knot.self)
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let knot = Knot(context: context)
        #expect(knot.fields == initial)
        try context.save()
        (knot.x, knot.level, knot.load) = (5, 6, 0)
        knot.cornerPoint = [1, 2, 3]
        knot.weight = 0.5
        #expect(knot.fields == [5, -1, 6, 0, 1, 2, 3, 0.5])
        #expect(Set(knot.changedValues().keys) == ["x", "level", "load", "p", "q", "r", "weight"])
        context.undo()
        #expect(knot.fields == initial)
        context.redo()
        #expect(knot.fields == [5, -1, 6, 0, 1, 2, 3, 0.5])
        knot.q = 20
        #expect(knot.cornerPoint == [1, 20, 3] && knot.primitiveQ == 20)
        try context.save()
        knot.r = 30
        context.rollback()
        #expect(knot.fields == [5, -1, 6, 0, 1, 20, 3, 0.5])

        let other = container.newContext()
        let again = try #require(other.object(with: knot.objectID) as? Knot)
        #expect(again.isFault && again.y == -1 && !again.isFault)
        #expect(again.fields == knot.fields)
        #expect(again.weight == 0.5 && again.load == 0)
        other.refresh(again, mergeChanges: false)
        #expect(again.fields == [-2, -2, -2, -2, -2, -2, -2, -2])
        #expect(again.cornerPoint == [1, 20, 3] && again.fields == knot.fields)
    }

    @Test("columns agree with fields kept as lanes, and a bulk edit of the column reaches the fields")
    func columns() throws {
        let context = try memory(Knot.self).newContext()
        let knots = (0..<5).map { _ in Knot(context: context) }
        for (number, knot) in knots.enumerated() { knot.p = Double(number) }
        #expect(try context.withColumns(of: Knot.self) { $0.sum(0) } == 10)
        context.translate(knots, by: [1, 0, 0])
        #expect(knots.map(\.cornerPoint.x) == [1, 2, 3, 4, 5])
        #expect(Knot.packedAttributes == ["p", "q", "r", "weight"] && Knot.primitiveAccessors.count == 8)
    }
}
