/// Where a class's accessors are numbered from: constants where the class inherits from `ManagedObject` itself, else added to what the
/// superclass says in a static property named after it.
struct ClassPlace {
    let className: String
    /// As written; nil where it is `ManagedObject`.
    let superclass: String?

    /// The static property that says where the numbers of a class's subclasses begin.
    static func endName(_ className: String) -> String {
        "_accessorEnd_\(className.lastComponent)"
    }
    private var start: String? { superclass.map { "\($0).\(Self.endName($0))" } }

    /// The number of an accessor.
    func number(_ place: Place) -> String {
        guard let start else { return "\(place.accessors)" }
        return "\(start).accessors + \(place.accessors)"
    }
    /// The number of a lane.
    func lane(_ place: Place) -> String {
        guard let start else { return "\(place.doubles + place.floats)" }
        return "\(start).lane + \(place.doubles + place.floats)"
    }
    /// The whole place, for packed getters.
    func whole(_ place: Place, accessors: Bool = false) -> String {
        var parts: [String] = []
        if accessors { parts.append("accessors: \(place.accessors)") }
        if place.doubles > 0 { parts.append("doubles: \(place.doubles)") }
        if place.floats > 0 { parts.append("floats: \(place.floats)") }
        let own = "Graben.AccessorPlace(\(parts.joined(separator: ", ")))"
        guard let start else { return own }
        return parts.isEmpty ? start : "\(start) + \(own)"
    }
}
