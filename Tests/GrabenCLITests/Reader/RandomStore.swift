import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import GrabenModel

/// A store file with a random history: every kind of attribute, column and relationship, three versions of a model, commits in parts, deletions,
/// chunks and patches, compactions.
struct RandomStore {
    private var generator: SplitMix64
    private let path: String
    private let deletes: Bool
    private var count = 0

    /// Writes the store. References to deleted objects, which some delete rules leave, are there only where it deletes.
    init(at path: String, seed: UInt64, deletes: Bool = true) throws {
        self.path = path
        self.deletes = deletes
        generator = SplitMix64(seed: seed)
        for version in 1...3 {
            try upgrade(to: version)
            try session(commits: 8, isBulky: version == 2 && seed % 2 == 0)
            if generator.chance(50) { try compact() }
        }
        try session(commits: 4, isBulky: false)
    }

    // MARK: Models

    static func model(_ version: Int) -> ManagedObjectModel {
        var thing = AttributeType.allCases.map { type in
            AttributeDescription(
                "\(type)Value", type,
                defaultValue: type == .int32 ? .int(Int64(-version)) : type == .string ? .string("dèf\(version)") : nil)
        }
        thing += [
            AttributeDescription("x", .double, isOptional: false, isPacked: true),
            AttributeDescription("y", .double, isPacked: true),
            AttributeDescription("p", .float, isOptional: false, isPacked: true),
            AttributeDescription("q", .float, isPacked: true),
        ]
        if version > 1 {
            thing += [
                AttributeDescription("added", .string, defaultValue: .string("new")),
                AttributeDescription("addedDate", .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 0.5))),
                AttributeDescription("addedDecimal", .decimal, defaultValue: .decimal(Decimal(string: "-12.50") ?? 0)),
                AttributeDescription(
                    "w", .double, isOptional: false, defaultValue: .double(Double(version) + 0.25), isPacked: true),
                AttributeDescription("v", .float, isPacked: true),
            ]
        }
        return ManagedObjectModel(
            entities: [
                EntityDescription(
                    "Thing", attributes: thing,
                    relationships: [
                        RelationshipDescription("parent", to: "Thing", inverse: "children"),
                        RelationshipDescription("children", to: "Thing", inverse: "parent", isToMany: true),
                        RelationshipDescription("partner", to: "Thing", inverse: "partnerOf"),
                        RelationshipDescription("partnerOf", to: "Thing", inverse: "partner"),
                        RelationshipDescription("tags", to: "Tag", inverse: "things", isToMany: true),
                        RelationshipDescription("peers", to: "Thing", inverse: "peers", isToMany: true),
                        RelationshipDescription("stops", to: "Stop", inverse: "thing", isToMany: true, isOrdered: true),
                        RelationshipDescription("marks", to: "Tag", isToMany: true),
                        RelationshipDescription("other", to: "Thing", deleteRule: .noAction),
                    ]),
                EntityDescription(
                    "Special", superentity: "Thing",
                    attributes: [
                        AttributeDescription("extra", .string), AttributeDescription("e", .double, isPacked: true),
                    ]),
                EntityDescription("Abstract", isAbstract: true, attributes: [AttributeDescription("title", .string)]),
                EntityDescription(
                    "Tag", superentity: "Abstract", attributes: [AttributeDescription("name", .string)],
                    relationships: [RelationshipDescription("things", to: "Thing", inverse: "tags", isToMany: true)],
                    uniquenessConstraints: [["name"]]),
                EntityDescription("Stop", relationships: [RelationshipDescription("thing", to: "Thing", inverse: "stops")]),
            ])
    }

    private func upgrade(to version: Int) throws {
        try PersistentContainer(model: Self.model(version), at: path).close()
    }

    private mutating func compact() throws {
        let log = try Log.open(path: path, in: RealFileSystem())
        _ = try log.compact()
        try log.close()
    }

    // MARK: Objects

    private mutating func session(commits: Int, isBulky: Bool) throws {
        var options = LogOptions()
        // Small ones, so that a commit is in parts.
        if generator.chance(50) { options.partByteCount = 300 }
        let log = try Log.open(path: path, in: RealFileSystem(), options: options)
        let container = try PersistentContainer(log: log, StoreConfiguration(.file(path)))
        let context = container.newContext()
        var objects: [String: [ManagedObject]] = [:]
        for entity in ["Thing", "Special", "Tag", "Stop"] {
            var request = FetchRequest<ManagedObject>(entity: entity)
            request.includesSubentities = false
            objects[entity] = try context.fetch(request)
        }
        if isBulky {
            for _ in 0..<1300 {
                let object = try context.insertObject(entity: "Special")
                try object.setValue(.double(Double(generator.pick(9))), forKey: "e")
                if generator.chance(5) { objects["Special", default: []].append(object) }
            }
            try context.save()
        }
        for _ in 0..<commits {
            for _ in 0...generator.pick(25) { try change(context, &objects) }
            try context.save()
        }
        try container.close()
    }

    private mutating func change(_ context: ManagedObjectContext, _ objects: inout [String: [ManagedObject]]) throws {
        let entity = ["Thing", "Thing", "Thing", "Special", "Special", "Tag", "Stop"][generator.pick(7)]
        if generator.chance(30) || objects[entity]?.isEmpty ?? true {
            let object = try context.insertObject(entity: entity)
            count += 1
            if entity == "Tag" { try object.setValue(.string("tag \(count) of \(generator.pick(1 << 20))"), forKey: "name") }
            objects[entity, default: []].append(object)
            for _ in 0..<6 { try set(object, objects) }
        } else if deletes, generator.chance(12), let object = objects[entity]?.randomElement(using: &generator) {
            context.delete(object)
            objects[entity]?.removeAll { $0 === object }
        } else if let object = objects[entity]?.randomElement(using: &generator) {
            for _ in 0...generator.pick(4) { try set(object, objects) }
        }
    }

    private mutating func set(_ object: ManagedObject, _ objects: [String: [ManagedObject]]) throws {
        let properties = object.entity.properties.filter { $0.name != "name" && $0.fetched == nil }
        guard let property = properties.randomElement(using: &generator) else { return }
        if let attribute = property.attribute {
            let isNull = attribute.isOptional && generator.chance(15)
            return try object.setValue(isNull ? .null : value(attribute.type), forKey: property.name)
        }
        guard let relationship = property.relationship else { return }
        let kinds = relationship.destination == "Thing" ? ["Thing", "Special"] : [relationship.destination]
        let targets = kinds.flatMap { objects[$0] ?? [] }
        guard relationship.isToMany else {
            let target = generator.chance(15) ? nil : targets.randomElement(using: &generator)
            return try object.setValue(target.map { .reference($0.objectID) } ?? .null, forKey: property.name)
        }
        var chosen: [ManagedObject] = []
        for _ in 0..<generator.pick(4) {
            if let target = targets.randomElement(using: &generator), !chosen.contains(where: { $0 === target }) { chosen.append(target) }
        }
        try object.setValue(.references(chosen.map(\.objectID)), forKey: property.name)
    }

    private mutating func value(_ type: AttributeType) throws -> Value {
        func number(_ generator: inout SplitMix64) -> Double {
            let choices: [Double] = [
                0, -0.0, .nan, .infinity, -.infinity, 1e300, -Double.leastNonzeroMagnitude, 0.1, 1e16, 123_456_789.123,
                Double(generator.pick(1 << 30)) / 1024,
            ]
            return choices[generator.pick(choices.count)]
        }
        func integer(_ generator: inout SplitMix64) -> Int64 {
            let wide = Int64(bitPattern: generator.next())
            return [0, -1, 1, wide, wide >> 40, .max, .min][generator.pick(7)]
        }
        switch type {
        case .int16: return .int(Int64(Int16(truncatingIfNeeded: integer(&generator))))
        case .int32: return .int(Int64(Int32(truncatingIfNeeded: integer(&generator))))
        case .int64: return .int(integer(&generator))
        case .double: return .double(number(&generator))
        case .float: return .float(Float(number(&generator)))
        case .decimal:
            let texts = ["0", "-0.1", "1e20", "123456789012345678901234567890.5", "-7", "0.00000001", "100"]
            return .decimal(Decimal(string: texts[generator.pick(texts.count)]) ?? 0)
        case .boolean: return .bool(generator.chance(50))
        case .string: return .string(text())
        case .uri: return .uri("https://example.org/\(generator.pick(1000))")
        case .date:
            let seconds = [
                0, -0.0, 0.5, -1.25, 8.1e8 + 0.123_456, 1e300, -63_113_904_000, -63_113_904_001, 252_423_993_600, 1e-9 + 1,
                Double(generator.pick(1 << 40)) / 7,
            ]
            return .date(Date(timeIntervalSinceReferenceDate: seconds[generator.pick(seconds.count)]))
        case .data: return .data(Data((0..<generator.pick(40)).map { _ in UInt8(generator.pick(256)) }))
        case .uuid: return .uuid(UUID())
        case .transformable: return .json(Data("{\"a\":[\(generator.pick(9)),null,\"\(text().prefix(5).filter(\.isLetter))\"]}".utf8))
        }
    }

    /// Short, empty, of other scripts, or long enough to be compressed.
    private mutating func text() -> String {
        switch generator.pick(6) {
        case 0: ""
        case 1: "ünï\u{0}cödé 🂡 \"\\\n\u{2028}"
        case 2: String(repeating: "again and again \(generator.pick(10)), ", count: 40 + generator.pick(100))
        case 3: String((0..<1200).map { _ in Character(UnicodeScalar(UInt8(33 + generator.pick(90)))) })
        default: "text \(generator.pick(1000))"
        }
    }
}
