package import GrabenLog

/// The catalog of the stores that are crashed: joints with coordinates, lines between them, and ordered groups of joints.
package enum CrashSchema {
    package static let joint: EntityCode = 1
    package static let line: EntityCode = 2
    package static let group: EntityCode = 3

    package static let jointLayout = RecordLayout(
        number: 1, entity: joint,
        fields: [
            RecordField(name: "name", kind: .string, isOptional: true), RecordField(name: "note", kind: .data, isOptional: true),
        ],
        lanes: [Lane(name: "x"), Lane(name: "y"), Lane(name: "z"), Lane(name: "w", width: .float, isOptional: true)])
    package static let lineLayout = RecordLayout(
        number: 2, entity: line,
        fields: [
            RecordField(name: "start", kind: .reference, isOptional: true, destination: joint),
            RecordField(name: "end", kind: .reference, isOptional: true, destination: joint),
        ], lanes: [])
    package static let members = LinkRelationship(code: 1, name: "Group.members", isOrdered: true)
    package static let start = ReverseKey(source: line, field: "start", target: joint)
    package static let end = ReverseKey(source: line, field: "end", target: joint)
    package static let byName = KeyDeclaration(code: 7, entity: joint, parts: [.init(field: "name")])

    package static let catalog = Catalog(
        version: 1,
        entities: [.init(code: joint, name: "Joint"), .init(code: line, name: "Line"), .init(code: group, name: "Group")],
        layouts: [jointLayout, lineLayout], links: [members], references: [start, end], indexes: [byName], model: ["name": "crash"])
}
