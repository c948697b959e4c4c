import Graben
import GrabenFixtures
import Testing

@Suite("Entities that inherit")
struct HierarchyTests {
    @Test("superclasses that declare entities are added to the model, and lanes are numbered behind theirs")
    func model() throws {
        let model = try ManagedObjectModel(of: Valve.self)
        #expect(model.problems().isEmpty)
        #expect(model.entities.map(\.name) == ["Element", "Node", "Valve"])
        #expect(model.entities.map(\.superentity) == [nil, "Element", "Node"])
        #expect(model.entities[0].isAbstract && !model.entities[1].isAbstract)
        let info = try ManagedObjectModel(of: Valve.self).resolved()
        let lanes = try #require(info.entity(named: "Valve"))
        #expect(lanes.lanes.map { lanes.properties[$0].name } == Valve.packedAttributes)
    }

    @Test("a random walk through packed accessors of three levels agrees with plain fields")
    func lanes() throws {
        struct Plain: Equatable {
            var elevation = 1.5, weight: Float?, position: SIMD3<Double> = [1, 2, 3], texture: SIMD2<Float> = [0.5, 0.25]
            var pair: SIMD2<Double>?, color: SIMD4<Float> = .zero, turn: SIMD4<Double> = [0, 0, 0, 1], opening: Float = 0.75
            var span: SIMD2<Double> = .zero

            init() {}
            init(_ valve: Valve) {
                (elevation, weight, position, texture) = (valve.elevation, valve.weight, valve.position, valve.texture)
                (pair, color, turn, opening, span) = (valve.pair, valve.color, valve.turn, valve.opening, valve.span)
            }
        }
        var random = SplitMix64(seed: 41)
        let container = try memory(Valve.self)
        let context = container.newContext()
        let valves = (0..<40).map { _ in Valve(context: context) }
        var plain = [Plain](repeating: Plain(), count: valves.count)
        for step in 0..<4_000 {
            let index = Int.random(in: valves.indices, using: &random)
            let valve = valves[index]
            let number = Double.random(in: -100...100, using: &random)
            let float = Float(number)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: (valve.elevation, plain[index].elevation) = (number, number)
            case 1: (valve.weight, plain[index].weight) = (float, float)
            case 2: (valve.weight, plain[index].weight) = (nil, nil)
            case 3: (valve.position, plain[index].position) = ([number, 1, -number], [number, 1, -number])
            case 4: (valve.y, plain[index].position.y) = (number, number)
            case 5: (valve.texture, plain[index].texture) = ([float, -float], [float, -float])
            case 6: (valve.pair, plain[index].pair) = ([number, 2], [number, 2])
            case 7: (valve.pair, plain[index].pair) = (nil, nil)
            case 8: (valve.color, plain[index].color) = ([1, float, 2, -float], [1, float, 2, -float])
            case 9: (valve.turn, plain[index].turn) = ([number, 3, 4, 5], [number, 3, 4, 5])
            case 10: (valve.opening, plain[index].opening) = (float, float)
            default: (valve.t, plain[index].span.y) = (number, number)
            }
            if step % 500 == 0 { try context.save() }
            #expect(Plain(valve) == plain[index])
        }
        try context.save()
        let other = container.newContext()
        for (valve, plain) in zip(valves, plain) {
            let again = try #require(other.object(with: valve.objectID) as? Valve)
            #expect(Plain(again) == plain)
            #expect(again.isFault && again.b2 == plain.color.z && again.a == plain.pair?.x && again.q2 == plain.turn.z)
        }
    }

    @Test("properties of superclasses keep their numbers in subclasses, also under a model in another order")
    func numbers() throws {
        var model = try ManagedObjectModel(of: Valve.self)
        let classes: [String: ManagedObject.Type] = ["Element": Element.self, "Node": Node.self, "Valve": Valve.self]
        for (turn, isReversed) in [false, true].enumerated() {
            if isReversed {
                model.entities.reverse()
                for index in model.entities.indices where model.entities[index].name == "Valve" {
                    model.entities[index].attributes.insert(AttributeDescription("extra", .string), at: 0)
                }
            }
            let container = try PersistentContainer(model: model, classes: classes, stores: [StoreConfiguration(.inMemory)])
            let context = container.newContext()
            let valve = Valve(context: context)
            let node = Node(context: context)
            (valve.label, node.label) = ("same", "same")
            valve.code = 7 + turn
            valve.elevation = 3
            #expect(try valve.value(forKey: "code") == .int(Int64(7 + turn)) && valve.code == 7 + turn && valve.label == "same")
            #expect(node.namesakes == [node, valve] && valve.namesakes == [node, valve])
        }
    }

    @Test("key paths of a class name its own and inherited properties, rooted at the class asked")
    func keyPaths() {
        #expect(Valve.propertyKey(for: \Valve.label) == "label")
        #expect(Valve.propertyKey(for: \Valve.weight) == "mass")
        #expect(Valve.propertyKey(for: \Valve.q3) == "q3")
        #expect(Node.propertyKey(for: \Node.elevation) == "elevation")
        #expect(Node.propertyKey(for: \Element.elevation) == nil)
        #expect(Valve.propertyKey(for: \Valve.position) == nil)
        #expect(Everything.propertyKey(for: \Everything.class) == "class")
        #expect(Valve.propertyKeyPaths.map(\.key) == Valve.accessorKeys)
    }

    @Test("a class that observes access has packed getters that call the hooks, once for each lane")
    func observedAccess() throws {
        let context = try memory(Watched.self).newContext()
        let object = Watched(context: context)
        object.place = [1, 2]
        object.accesses = []
        #expect(object.place == [1, 2] && object.accesses == ["x", "y"])
        #expect(object.x == 1 && object.height == nil && object.accesses == ["x", "y", "x", "height"])
    }

    @Test("a class without an entity of its own, and two classes of one name, are refused by name")
    func undeclared() {
        final class Plain: ManagedObject {}
        final class Same: ManagedObject {
            override class var entityDescription: EntityDescription? { EntityDescription("Joint") }
        }
        let error = #expect(throws: GrabenError.self) { try ManagedObjectModel(of: Plain.self, Joint.self, Same.self) }
        guard case .classMismatch(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.count == 2)
        #expect(problems[0].contains("Plain declares no entity of its own") && problems[1].contains("both declare the entity Joint"))
    }

    @Test("a class that disagrees with its model is refused with every difference and both sides of each")
    func binding() throws {
        var model = try ManagedObjectModel(of: Joint.self, Line.self, Layer.self)
        model.entities[0].attributes[3] = AttributeDescription("name", .int32, isOptional: false)
        model.entities[0].attributes[1].isOptional = true
        model.entities[0].relationships[0].isOrdered = true
        model.entities[0].uniquenessConstraints = []
        let classes: [String: ManagedObject.Type] = ["Joint": Joint.self, "Line": Line.self, "Level": Layer.self]
        let error = #expect(throws: GrabenError.self) {
            try PersistentContainer(model: model, classes: classes, stores: [StoreConfiguration(.inMemory)])
        }
        guard case .classMismatch(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            problems == [
                "Joint.y: the class Joint says double, packed, not optional, the model double, packed, optional; write @Packed var y: "
                    + "Double?, or change the model",
                "Joint.name: the class Joint says string, optional, the model int32, not optional; write var name: Int32, or change the model",
                "Joint.outgoing: the class Joint says a to-many relationship to Line, the model an ordered to-many relationship to Line; write "
                    + "@Relationship(inverse: \\Line.start) var outgoing: OrderedToMany<Line>, or change the model",
            ])
    }
}
