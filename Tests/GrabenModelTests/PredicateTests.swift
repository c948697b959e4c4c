import GrabenModel
import GrabenPredicate
import Testing

@Suite struct PredicateTests {
    private func model(predicate: String?, sort: [String] = []) -> ManagedObjectModel {
        var model = drawingModel()
        model.entities[1].fetchedProperties = [.init("found", of: "Line", predicateFormat: predicate, sort: sort)]
        return model
    }

    @Test("a predicate that cannot be parsed is a problem that shows the place, among all others")
    func syntax() throws {
        let wrong = model(predicate: "name == ")
        let problem = try #require(wrong.problems().first)
        #expect(wrong.problems().count == 1 && problem.entity == "Joint" && problem.property == "found")
        let error = try #require(throws: ModelError.self) { try wrong.resolved() }
        #expect(error.description.contains("\n  - Joint.found: cannot parse the predicate at position 8"))
        #expect(error.description.contains("\n      name == \n"))
        // An argument has nowhere to come from.
        #expect(model(predicate: "name == %@").problems().count == 1)
    }

    @Test("S109: a key that does not exist is a warning with the nearest one, and the model still loads")
    func unknownKeys() throws {
        let warned = try model(predicate: "nme == 'a' AND start.nam == 'b' OR start.name == $x", sort: ["-name", "start.xx"]).resolved()
        #expect(
            warned.warnings.map(\.description) == [
                "Joint.found: Joint has no property \"xx\" in \"start.xx\"; did you mean \"x\"?",
                "Joint.found: Line has no property \"nme\"; did you mean \"name\"?",
                "Joint.found: Joint has no property \"nam\" in \"start.nam\"; did you mean \"name\"?",
            ])
        #expect(try model(predicate: nil).resolved().warnings == [])
        #expect(try drawingModel().resolved().warnings == [])
    }

    @Test("predicates see the properties of an entity under their numbers and follow relationships to others")
    func schema() throws {
        let model = try drawingModel().resolved()
        let tank = model.schema(of: try #require(model.entity(named: "Tank")))
        #expect(tank.name == "Tank" && tank.propertyNames.count == 10)
        #expect(tank.property(named: "level")?.index == 8 && tank.property(named: "levels") == nil)
        guard case .attribute(.number)? = tank.property(named: "level")?.kind, case .fetched? = tank.property(named: "nearby")?.kind,
            case .toMany(let line, ordered: false)? = tank.property(named: "outgoing")?.kind,
            case .toOne(let joint)? = line.property(named: "start")?.kind
        else {
            Issue.record("a property is seen as something else")
            return
        }
        #expect(joint.name == "Joint" && joint.property(named: "x")?.index == 1)
    }
}
