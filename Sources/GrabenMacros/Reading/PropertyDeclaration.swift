import SwiftSyntax

/// A property of the model as it is declared in a class.
struct PropertyDeclaration {
    let variable: VariableDeclSyntax
    /// The Swift name, without backticks.
    let name: String
    /// The access level as written, with a space behind it; empty for none.
    let access: String
    let isOptional: Bool
    let kind: Kind
    /// Properties of the class before this one.
    var place = Place()

    enum Kind {
        case attribute(AttributePart)
        case packed(Packing)
        case relationship(RelationshipPart)
        case fetched(FetchedPart)
    }

    /// The names the model has for it: one for each lane of a vector.
    var keys: [String] {
        switch kind {
        case .attribute(let part): [part.key]
        case .packed(let packing): packing.lanes
        case .relationship, .fetched: [name]
        }
    }

    /// How much it takes of what accessors are numbered by.
    var size: Place {
        guard case .packed(let packing) = kind else { return Place(accessors: 1) }
        let count = packing.lanes.count
        return Place(
            accessors: count, doubles: packing.scalar == .double ? count : 0, floats: packing.scalar == .float ? count : 0)
    }

    /// The name in Swift source.
    var identifier: String { name.identifier }

    /// The name as it is written, with backticks where it has them.
    var pattern: String { variable.bindings.first?.pattern.trimmedDescription ?? name }

    /// The members of the class that are written for it, besides itself.
    var memberNames: [String] {
        let capitalized = name.capitalizedFirst
        switch kind {
        case .attribute: return ["primitive\(capitalized)"]
        case .packed(let packing) where packing.isVector:
            return packing.lanes + packing.lanes.map { "primitive\($0.capitalizedFirst)" }
        case .packed: return ["primitive\(capitalized)"]
        case .relationship(let part):
            return part.isToMany ? ["addTo\(capitalized)", "removeFrom\(capitalized)"] : ["primitive\(capitalized)"]
        case .fetched: return []
        }
    }
}

/// What stands before an accessor in its own class; the library's `AccessorPlace`.
struct Place {
    var accessors = 0
    var doubles = 0
    var floats = 0

    static func + (a: Place, b: Place) -> Place {
        Place(accessors: a.accessors + b.accessors, doubles: a.doubles + b.doubles, floats: a.floats + b.floats)
    }
}

/// An attribute that is no lane.
struct AttributePart {
    var key: String
    /// The Swift type, without Optional.
    var type: String
    /// The case of `AttributeType`, where the name of the type says it; else the compiler finds it by the type.
    var attributeType: String?
    var defaultValue: ExprSyntax?
    var isTransient = false
    /// The expression of a derived attribute.
    var derivation: ExprSyntax?
    /// Further arguments of `AttributeDescription`, as written: label and value.
    var options: [(label: String, value: String)] = []
    /// The stored property that holds it, as a path from the object.
    var storage: String?
}

/// One lane, or a vector of them.
struct Packing {
    enum Scalar: String {
        case double = "Double"
        case float = "Float"
    }
    var scalar: Scalar
    /// Whether the property is a vector; one lane of a plain number otherwise.
    var isVector: Bool
    var lanes: [String]
    /// The default of each lane; empty where there is none.
    var defaults: [String] = []
    var options: [(label: String, value: String)] = []
    /// What each lane was called earlier, where they were renamed.
    var renamed: [String] = []
    var storage: String?
}

struct RelationshipPart {
    var destination: String
    var isToMany: Bool
    var isOrdered: Bool
    var inverse: Inverse?
    var options: [(label: String, value: String)] = []

    enum Inverse {
        case name(String)
        /// The name, and the key path it is the end of, which the compiler checks where the description is made.
        case path(String, String)
    }
}

struct FetchedPart {
    var destination: String
    /// Whether it is the first object found, or nil.
    var isOne = false
    /// Arguments of `FetchedPropertyDescription`, as written.
    var options: [(label: String, value: String)] = []
}

/// An order in which objects can be found.
struct IndexPart {
    var name: String
    /// The properties compared, a leading `-` for descending ones.
    var keys: [String]
    var options: [(label: String, value: String)] = []
}
