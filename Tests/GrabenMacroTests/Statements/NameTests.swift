import Graben
import Testing

@Suite("Names in declarations")
struct NameTests {
    @Test("words of the language name classes, properties, lanes and relationships, also of a superclass")
    func words() throws {
        let container = try memory(`class`.self, Überbau.self)
        let context = container.newContext()
        let one = `class`(context: context)
        let other = Überbau(context: context)
        one.in = 5
        one.`init` = 4
        other.repeat = 3
        other.maß = [1, 0.5]
        other.名前 = "n"
        other.where = one
        other.addToSome(one)
        try context.save()
        #expect(one.switch == [5, 2] && one.`default` == 7 && other.switch == [1, 3] && other.höhe == 0.5)
        #expect(Array(one.for) == [other] && one.any == [other] && Array(other.some) == [one])
        #expect(other.entity.superentity === one.entity && one.entity.name == "class")
        #expect(try context.fetch(`class`.fetchRequest(where: "#in == 5 AND #init == 4")) == [one])
    }

    @Test("a nested class is the same one with and without the names of what it stands in")
    func nested() throws {
        let container = try memory(Namespace.Nested.self)
        let context = container.newContext()
        let parent = Namespace.Nested(context: context)
        let child = Namespace.Nested(context: context)
        child.parent = parent
        child.stored = 3
        try context.save()
        #expect(Array(parent.children) == [child] && child.field == 3)
    }
}
