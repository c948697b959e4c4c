import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

/// Indexes, templates, configurations, composites and derivations: what a model has besides entities and plain properties.
@Suite struct PartTests {
    /// What is wrong in the drawing's model after an edit, as text.
    private func problems(_ edit: (inout ManagedObjectModel) -> Void) -> [String] {
        var model = drawingModel()
        edit(&model)
        return model.problems().map(\.description)
    }

    private static let joint = 1

    @Test("an index names stored properties of one value and holds a predicate over keys that exist")
    func indexes() {
        #expect(
            problems {
                $0.entities[Self.joint].indexes = [
                    .init(
                        "byName", [.init("name", isAscending: false), .init("layer")], partialPredicateFormat: "x > 1 AND layer.n == 2"),
                    .init("byPlace", [.init("x", kind: .spatial), .init("y", kind: .spatial)]),
                    .init("bySum", [.init(.expression("x + y", .double))]),
                ]
                $0.entities[0].indexes = [.init("byInherited", on: "name")]
            } == [])
        #expect(
            problems {
                $0.entities[Self.joint].indexes = [
                    .init("a"), .init("a", on: "nam", "shade", "outgoing", "nearby"),
                    .init(
                        "b", [.init(.expression("x +", .double)), .init(.expression("z + 1", .double))], partialPredicateFormat: "nme == 1"),
                ]
            }.map { $0.split(separator: "\n").first.map(String.init) } == [
                "entity Joint: index a: it has no elements",
                "entity Joint: index a: there is another of this name",
                "entity Joint: index a: it names nam, which is no property; name does",
                "entity Joint: index a: it names shade, which is neither a stored attribute nor a to-one relationship",
                "entity Joint: index a: it names outgoing, which is neither a stored attribute nor a to-one relationship",
                "entity Joint: index a: it names nearby, which is neither a stored attribute nor a to-one relationship",
                "entity Joint: index b: cannot parse the predicate at position 4: expected a name, a value or a predicate, found \"==\"",
                "entity Joint: index b: it names z, which is no property",
                "entity Joint: index b: it names nme, which is no property; name does",
            ])
    }

    @Test("templates and configurations have names of their own and entities that exist")
    func templates() {
        #expect(
            problems {
                $0.fetchRequestTemplates = [
                    .init("high", .init("Joint", predicateFormat: "x > $x", sort: ["-name"], limit: 3, batchSize: 2))
                ]
                $0.configurations = [.init("Main", entities: ["Joint", "Line"]), .init("Rest", entities: [])]
            } == [])
        #expect(
            problems {
                $0.fetchRequestTemplates = [
                    .init("a", .init("Join")), .init("a", .init("Joint", predicateFormat: "x >", sort: [""], limit: -1, batchSize: -2)),
                ]
                $0.configurations = [.init("Main", entities: ["Lin"]), .init("Main", entities: [])]
            }.map { $0.split(separator: "\n").first.map(String.init) } == [
                "fetch request a: its entity Join does not exist; Joint does",
                "fetch request a: there is another of this name",
                "fetch request a: its limit -1 or offset 0 is negative",
                "fetch request a: its batch size -2 is negative",
                "fetch request a: cannot parse the predicate at position 3: expected a name, a value or a predicate, found the end",
                "fetch request a: it is sorted by a key without a name",
                "configuration Main: its entity Lin does not exist; Line does",
                "configuration Main: there is another of this name",
            ])
        #expect(
            problems { $0.entities[Self.joint].fetchedProperties[0].request.result = .count }
                == ["Joint.nearby: its result is count, where a fetched property yields objects"])
    }

    @Test("S109: a template's key that does not exist is a warning")
    func templateWarnings() throws {
        var model = drawingModel()
        model.fetchRequestTemplates = [.init("high", .init("Joint", predicateFormat: "z > $x", sort: ["layer.nme"]))]
        #expect(
            try model.resolved().warnings.map(\.description) == [
                "fetch request high: Layer has no property \"nme\" in \"layer.nme\"",
                "fetch request high: Joint has no property \"z\"",
            ])
        #expect(model.fetchRequestTemplate(named: "high")?.request.entity == "Joint" && model.fetchRequestTemplate(named: "low") == nil)
    }

    @Test("a configuration answers its entities in the model's order")
    func configuration() {
        var model = drawingModel()
        model.configurations = [.init("Main", entities: ["Line", "Tank"])]
        #expect(
            model.entities(inConfiguration: "Main")?.map(\.name) == ["Tank", "Line"] && model.entities(inConfiguration: "Other") == nil)
    }

    @Test("a composite exists, is transformable, does not contain itself and is not absurdly deep")
    func composites() {
        #expect(
            problems {
                $0.composites = [.init("Place", [.init("lat", .double), .init("more", composite: "Empty")]), .init("Empty")]
                $0.entities[Self.joint].attributes.append(.init("place", composite: "Place"))
            } == [])
        #expect(
            problems {
                $0.composites = [
                    .init("A", [.init("b", composite: "B"), .init("x", .int16, defaultValue: "z"), .init("x", .string)]),
                    .init("B", [.init("a", composite: "A")]), .init("B"), .init("c d", [.init("e", composite: "Bb")]),
                ]
                $0.entities[Self.joint].attributes.append(.init("place", .string, composite: "C"))
            } == [
                "Joint.place: it holds a composite, whose type is transformable and not string",
                "Joint.place: its composite C does not exist",
                "composite A: it is an element of itself: A -> B -> A",
                "composite A.x: its default \"z\" is no value of type int16",
                "composite A.x: there is another of this name",
                "composite B: it is an element of itself: B -> A -> B",
                "composite B: there is another of this name",
                "composite B: it is an element of itself: B -> A -> B",
                "composite c d: the name is not an identifier; begin with a letter or _ and go on with letters, digits and _",
                "composite c d.e: its composite Bb does not exist; B does",
            ])
        let deep = problems {
            $0.composites = (0..<40).map { .init("C\($0)", $0 < 39 ? [.init("c", composite: "C\($0 + 1)")] : []) }
        }
        #expect(deep.first == "composite C0: its elements are composites within composites over more than 32 levels" && deep.count == 8)
    }

    @Test("a derivation is one of the documented forms, spaces and case of functions aside")
    func derivations() throws {
        #expect(try Derivation("title") == .value(["title"], nil))
        #expect(try Derivation(" owner . name ") == .value(["owner", "name"], nil))
        #expect(try Derivation("canonical:(title)") == .value(["title"], .canonical))
        #expect(try Derivation("UPPERCASE( owner.name )") == .value(["owner", "name"], .uppercase))
        #expect(try Derivation("lines.@count") == .count(["lines"]))
        #expect(try Derivation("lines.@sum.length") == .aggregate(.sum, ["lines"], of: ["length"]))
        #expect(try Derivation("a.lines.@avg.b.c") == .aggregate(.average, ["a", "lines"], of: ["b", "c"]))
        #expect(try Derivation("now()") == .now)
        for text in [
            "", " ", "a b", "a..b", ".a", "a.", "@count", "a.@count.b", "a.@sum", "a.@median.b", "a.@sum.b.@count", "length:(a)",
            "canonical:(",
            "canonical:(a.@count)", "now", "1a", "a + b", "()", "canonical:()", "a.@", "a)b(", "((((",
        ] where text != "now" {
            #expect(throws: Derivation.Refusal.self, "\(text)") { try Derivation(text) }
        }
        #expect(AttributeDescription("n", .int64, derivationExpression: "lines.@count").derivation == .count(["lines"]))
        #expect(AttributeDescription("n", .int64).derivation == nil && !AttributeDescription("n", .int64).isDerived)
    }

    @Test("every key of a derivation exists and leads to as many objects as its form needs")
    func derivationKeys() {
        func joint(_ expression: String, transient: Bool = false) -> [String] {
            problems {
                $0.entities[Self.joint].attributes.append(
                    .init("d", .string, isTransient: transient, derivationExpression: expression))
            }
        }
        for good in ["name", "canonical:(name)", "outgoing.@count", "layer.joints.@count", "outgoing.@max.name", "layer.note", "now()"] {
            #expect(joint(good) == [], "\(good)")
        }
        #expect(joint("nme") == ["Joint.d: it is derived from nme, which is no property of Joint; name does"])
        #expect(joint("layer.not") == ["Joint.d: it is derived from not, which is no property of Layer; note does"])
        #expect(joint("outgoing.name") == ["Joint.d: it is derived from Joint.outgoing, which is not to one object"])
        #expect(joint("layer.@count") == ["Joint.d: it is derived from Joint.layer, which is not to-many"])
        #expect(joint("name.@count") == ["Joint.d: it is derived from Joint.name, which is not a to-many relationship"])
        #expect(joint("name.x") == ["Joint.d: it is derived from Joint.name, which is not a to-one relationship"])
        #expect(joint("layer") == ["Joint.d: it is derived from Joint.layer, which is not an attribute"])
        #expect(joint("nearby.@count") == ["Joint.d: it is derived from Joint.nearby, which is not stored"])
        #expect(joint("name", transient: true) == ["Joint.d: it is derived, so it is kept in the store and cannot be transient"])
        #expect(joint("length:(name)").first?.hasPrefix("Joint.d: its derivation cannot be used: there is no function \"length\"") == true)
    }

    @Test("a regular expression is one, of a bounded length, and belongs to text")
    func regularExpressions() {
        func joint(_ pattern: String, _ type: AttributeType = .string) -> [String] {
            problems { $0.entities[Self.joint].attributes.append(.init("r", type, regularExpression: pattern)) }
        }
        #expect(joint("[A-Z]\\d+") == [])
        #expect(joint("[A-Z", .string).first?.hasPrefix("Joint.r: its regular expression cannot be used: ") == true)
        #expect(joint("a", .int16) == ["Joint.r: it has a regular expression, which only text can match, not int16"])
        #expect(joint(String(repeating: "a", count: 1_001)).count == 1 && joint(String(repeating: "(a)", count: 33)).count == 1)
    }

    @Test("a class name says its module")
    func classes() {
        #expect(EntityDescription("A").managedObjectClass == nil)
        for (text, module, name) in [
            ("Joint", EntityDescription.ClassModule.unnamed, "Joint"), (".Joint", .current, "Joint"),
            ("Draw.Joint", .named("Draw"), "Joint"),
            ("Draw.Outer.Joint", .named("Draw"), "Outer.Joint"),
        ] {
            let found = EntityDescription("A", managedObjectClassName: text).managedObjectClass
            #expect(found?.module == module && found?.name == name)
        }
    }

    @Test("a new object's composite holds the defaults of its elements as a Codable type would write them, its own default before them")
    func compositeDefaults() throws {
        struct Inner: Codable, Equatable { var on: Bool; var raw: Data; var since: Date }
        struct Place: Codable, Equatable { var inner: Inner; var lat: Double; var name: String; var n: Int?; var rate: Decimal }
        let date = Date(timeIntervalSinceReferenceDate: 86_400)
        let composites = [
            CompositeDescription(
                "Place",
                [
                    .init("lat", .double, defaultValue: 2), .init("name", .string, defaultValue: "a/\"é"), .init("n", .int16),
                    .init("rate", .decimal, defaultValue: .decimal(Decimal(1) / 8)), .init("inner", composite: "Inner"),
                    .init("nothing", .double, defaultValue: .double(.nan)), .init("empty", composite: "Empty"),
                ]),
            CompositeDescription(
                "Inner",
                [
                    .init("on", .boolean, defaultValue: true), .init("raw", .data, defaultValue: .data(Data([1, 2]))),
                    .init("since", .date, defaultValue: .date(date)),
                ]),
            CompositeDescription("Empty"),
        ]
        let own = AttributeDescription("own", .transformable, defaultValue: .json(Data("{}".utf8)), composite: "Place")
        let model = ManagedObjectModel(
            entities: [EntityDescription("A", attributes: [.init("p", composite: "Place"), own, .init("e", composite: "Empty")])],
            composites: composites)
        let properties = try model.resolved().entities[0].properties
        guard case .json(let data)? = properties[0].attribute?.defaultValue else {
            Issue.record("there is no default")
            return
        }
        let place = Place(inner: Inner(on: true, raw: Data([1, 2]), since: date), lat: 2, name: "a/\"é", n: nil, rate: Decimal(1) / 8)
        #expect(try JSONDecoder().decode(Place.self, from: data) == place)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: data, as: UTF8.self) == String(decoding: try encoder.encode(place), as: UTF8.self))
        #expect(properties[1].attribute?.defaultValue == .json(Data("{}".utf8)) && properties[2].attribute?.defaultValue == nil)
        #expect(try model.resolved().description == model)
    }
}
