import SwiftSyntax

/// The members that `@Entity` adds to a class on behalf of the whole.
struct ClassWriter {
    let entity: EntityDeclaration

    private var place: ClassPlace { ClassPlace(className: entity.name, superclass: entity.superclass) }
    /// What stands before an override that the whole world asks.
    private var override: String { "\(entity.access)nonisolated override class var" }

    func members() -> [String] {
        var members = [
            "\(override) entityName: String { \(entity.entityName.quoted) }",
            "\(override) entityDescription: Graben.EntityDescription? {\n\(DescriptionWriter(entity: entity).text)\n}",
            end, hooks,
        ]
        let keys = entity.properties.flatMap(\.keys)
        if !keys.isEmpty {
            members.append("\(override) accessorKeys: [String] { super.accessorKeys + [\(keys.map(\.quoted).joined(separator: ", "))] }")
        }
        members += packedAttributes + keyPaths + primitiveAccessors
        let writer = MemberWriter(
            writer: AccessorWriter(place: place, observesAccess: entity.observesAccess, isInlinable: entity.isPublic))
        return members + entity.properties.flatMap { writer.members($0) }
    }

    /// Which hooks need not be called for the class's objects.
    private var hooks: String {
        let kinds = entity.overriddenHooks.map { ".\($0)" }.joined(separator: ", ")
        let inherited = entity.superclass == nil ? "" : ", and: super.overriddenHooks"
        return "\(override) overriddenHooks: Graben.ClassHooks { Graben.ClassHooks(of: \(entity.identifier).self, [\(kinds)]\(inherited)) }"
    }

    /// Where subclasses number on.
    private var end: String {
        let size = entity.properties.reduce(Place()) { $0 + $1.size }
        let inlinable = entity.isPublic ? "@inlinable " : ""
        return
            "\(inlinable)\(entity.access == "open " ? "public " : entity.access)nonisolated static var \(ClassPlace.endName(entity.name)): "
            + "Graben.AccessorPlace { \(place.whole(size, accessors: true)) }"
    }

    private var packedAttributes: [String] {
        let lanes = entity.properties.flatMap { property in
            if case .packed(let packing) = property.kind { packing.lanes } else { [String]() }
        }
        guard !lanes.isEmpty else { return [] }
        return [
            "\(override) packedAttributes: [String]? { (super.packedAttributes ?? []) + [\(lanes.map(\.quoted).joined(separator: ", "))] }"
        ]
    }

    // MARK: Key paths

    /// The properties that a key path of one name reads: all but vectors, which are several; their lanes have key paths of their own.
    private var namedPaths: [(key: String, name: String)] {
        entity.properties.flatMap { property -> [(String, String)] in
            switch property.kind {
            case .attribute(let part): [(part.key, property.identifier)]
            case .packed(let packing) where packing.isVector: packing.lanes.map { ($0, $0.identifier) }
            case .packed(let packing): [(packing.lanes[0], property.identifier)]
            case .relationship, .fetched: [(property.name, property.identifier)]
            }
        }
    }

    /// In a class with subclasses the paths begin at the class that is asked, which `Root` stands for: a path of `Base` never equals the
    /// same one of a subclass.
    private var keyPaths: [String] {
        let paths = namedPaths
        guard !paths.isEmpty else { return [] }
        func list(_ root: String) -> String {
            paths.map { ".init(\($0.key.quoted), \\\(root).\($0.name))" }.joined(separator: ", ")
        }
        if entity.isFinal {
            return ["\(override) propertyKeyPaths: [Graben.PropertyKeyPath] { super.propertyKeyPaths + [\(list(entity.identifier))] }"]
        }
        let function = "_keyPaths_\(entity.name)"
        return [
            "\(override) propertyKeyPaths: [Graben.PropertyKeyPath] { super.propertyKeyPaths + \(function)(Self.self) }",
            "private nonisolated static func \(function)<Root: \(entity.identifier)>(_ root: Root.Type) -> [Graben.PropertyKeyPath] { [\(list("Root"))] }",
        ]
    }

    // MARK: Fields

    private var primitiveAccessors: [String] {
        let accessors = entity.properties.flatMap { property -> [String] in
            let names: [(key: String, name: String)]
            switch property.kind {
            case .attribute(let part) where part.storage != nil: names = [(part.key, property.name)]
            case .packed(let packing) where packing.storage != nil:
                names = packing.lanes.map { ($0, packing.isVector ? $0 : property.name) }
            default: return []
            }
            return names.map { key, name in
                let primitive = "primitive\(name.capitalizedFirst)"
                return ".init(\(key.quoted), get: { (object: \(entity.identifier)) in object.\(primitive) }, set: { $0.\(primitive) = $1 })"
            }
        }
        guard !accessors.isEmpty else { return [] }
        return [
            "\(override) primitiveAccessors: [Graben.PrimitiveAccessor] {\nsuper.primitiveAccessors + [\n\(accessors.joined(separator: ",\n"))\n]\n}"
        ]
    }
}
