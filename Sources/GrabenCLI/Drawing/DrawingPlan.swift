import GrabenModel
import GrabenPredicate

/// What a drawing shows: which entity's objects are points, by which attributes, and which are lines between them.
struct DrawingPlan {
    struct Lines {
        let entity: Entity
        let start: String
        let end: String
    }

    let points: Entity
    /// The attributes the projection reads.
    let axes: [String]
    let projection: Projection
    let lines: Lines?
    /// An attribute of the lines, or of the points.
    let color: Color?

    struct Color {
        let key: String
        let isOfLines: Bool
    }

    init(_ invocation: Invocation, _ store: OpenStore) throws(CLIError) {
        points = try Self.points(invocation, store)
        lines = try Self.lines(invocation, store, points)
        (axes, projection) = try Self.axes(invocation, points)
        color = try Self.color(invocation, points, lines?.entity)
    }

    private static func isNumber(_ property: Property) -> Bool {
        switch property.attribute?.type {
        case .double, .float, .int16, .int32, .int64, .decimal: true
        default: false
        }
    }

    private static func points(_ invocation: Invocation, _ store: OpenStore) throws(CLIError) -> Entity {
        if let name = invocation.value("entity") { return try store.entity(name) }
        // A sub-entity of one that will do is drawn with it.
        let able = store.model.entities.filter { $0.lanes.count >= 2 && ($0.superentity.map { $0.lanes.count < 2 } ?? true) }
        if able.count == 1 { return able[0] }
        let found = able.isEmpty ? "no entity has two packed attributes" : "several entities have packed attributes"
        let names = (able.isEmpty ? store.model.entities : able).map(\.name).joined(separator: ", ")
        throw .usage("nothing-to-draw", "\(found); say which are the points: --entity, one of \(names)", hint: "graben help draw")
    }

    private static func lines(_ invocation: Invocation, _ store: OpenStore, _ points: Entity) throws(CLIError) -> Lines? {
        func leads(_ property: Property) -> Bool {
            guard property.isToOne, let destination = store.model.destination(of: property) else { return false }
            return points.isKind(of: destination) || destination.isKind(of: points)
        }
        if let text = invocation.value("lines") {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let ends = parts.count == 2 ? parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init) : []
            guard ends.count == 2 else {
                throw .usage("bad-value", "--lines takes ENTITY:START,END, not \(text.shown)", hint: "graben help draw")
            }
            let entity = try store.entity(parts[0])
            for end in ends {
                guard let property = entity.property(named: end) else {
                    throw CLIError(
                        .usage, "key.unknown",
                        "\(entity.name) has no property \(end.shown)\(suggestion(entity.nearestPropertyName(to: end)))")
                }
                guard leads(property) else { throw .usage("bad-value", "\(entity.name).\(end) is no to-one to \(points.name)") }
            }
            return Lines(entity: entity, start: ends[0], end: ends[1])
        }
        let able = store.model.entities.filter { $0.properties.count { leads($0) } == 2 }
        let topmost = able.filter { entity in !able.contains { $0 !== entity && entity.isKind(of: $0) } }
        guard topmost.count <= 1 else {
            let names = topmost.map(\.name).joined(separator: ", ")
            throw .usage("nothing-to-draw", "several entities have two to-ones to \(points.name): \(names); say --lines ENTITY:START,END")
        }
        return topmost.first.map { entity in
            let ends = entity.properties.filter(leads).map(\.name)
            return Lines(entity: entity, start: ends[0], end: ends[1])
        }
    }

    private static func axes(_ invocation: Invocation, _ points: Entity) throws(CLIError) -> ([String], Projection) {
        let packed = points.lanes.map { points.properties[$0].name }
        if let names = try invocation.list("xy") {
            guard !invocation.has("view") else { throw .usage("conflict", "--xy and --view both say what is across and up; choose one") }
            guard names.count == 2 else { throw .usage("bad-value", "--xy takes two attributes separated by a comma") }
            for name in names {
                guard let property = points.property(named: name) else {
                    throw CLIError(
                        .usage, "key.unknown",
                        "\(points.name) has no property \(name.shown)\(suggestion(points.nearestPropertyName(to: name)))")
                }
                guard isNumber(property) else { throw .usage("bad-value", "\(points.name).\(name) is no number") }
            }
            return (names, .plane(0, 1))
        }
        let view = invocation.value("view") ?? "top"
        guard let projection = Projection(view: view) else {
            throw .usage(
                "bad-value",
                "--view takes \(Projection.views.joined(separator: ", ")), not \(view.shown)"
                    + suggestion(nearestName(to: view, in: Projection.views)))
        }
        // Of the globe, longitude goes across and latitude up, whichever is declared first.
        let axes =
            Set(packed.prefix(2)) == ["latitude", "longitude"] ? ["longitude", "latitude"] + packed.dropFirst(2) : packed
        guard axes.count >= projection.axisCount else {
            throw .usage(
                "nothing-to-draw",
                "\(points.name) has \(packed.count) packed attributes, the view needs \(projection.axisCount); name others: --xy")
        }
        return (Array(axes.prefix(3)), projection)
    }

    private static func color(_ invocation: Invocation, _ points: Entity, _ lines: Entity?) throws(CLIError) -> Color? {
        guard let key = invocation.value("color") else { return nil }
        if lines?.property(named: key)?.attribute != nil { return Color(key: key, isOfLines: true) }
        if let property = points.property(named: key), property.attribute != nil {
            guard lines == nil || isNumber(property) else {
                throw .usage("bad-value", "\(points.name).\(key) is no number, and lines have two ends: color by an attribute of theirs")
            }
            return Color(key: key, isOfLines: false)
        }
        let names = (lines.map { [$0] } ?? []) + [points]
        let nearest = nearestName(to: key, in: names.flatMap { $0.properties.filter { $0.attribute != nil }.map(\.name) })
        throw CLIError(
            .usage, "key.unknown",
            "--color: neither \(names.map(\.name).joined(separator: " nor ")) has an attribute \(key.shown)"
                + suggestion(nearest))
    }
}
