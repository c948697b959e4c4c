import GrabenLog

/// An observer of a key path: it observes each object along the path, and goes along when the path leads elsewhere.
final class PathObservation {
    private let path: String
    private let keys: [String]
    private let handler: (PropertyChange) -> Void
    /// Where the path begins; the observation ends with it.
    private(set) weak var root: ManagedObject?
    private var steps: [(object: ManagedObject, token: HandlerToken)] = []
    private var last: Value = .null

    static func begin(
        _ path: String, of root: ManagedObject, in context: ManagedObjectContext, _ handler: @escaping (PropertyChange) -> Void
    ) throws(GrabenError) -> HandlerToken {
        let observation = PathObservation(path, of: root, handler)
        try observation.check(root.info, in: context)
        observation.follow()
        observation.last = observation.value()
        context.nextToken += 1
        context.pathObservations[context.nextToken] = observation
        return HandlerToken(number: context.nextToken)
    }

    private init(_ path: String, of root: ManagedObject, _ handler: @escaping (PropertyChange) -> Void) {
        self.path = path
        self.root = root
        self.handler = handler
        keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Every key but the last has to be a to-one, the last any property.
    private func check(_ info: EntityInfo, in context: ManagedObjectContext) throws(GrabenError) {
        var info = info
        for key in keys.dropLast() {
            let property = info.properties[try info.number(key)]
            guard property.kind == .toOne else {
                throw .wrongType(entity: info.name, key: key, expected: "to be a to-one inside the path \(path)", found: "another property")
            }
            info = context.coordinator.infos[property.destination]
        }
        if let key = keys.last { _ = try info.number(key) }
    }

    /// Observes every object along the path as it leads now.
    private func follow() {
        end()
        var object = root
        for (place, key) in keys.enumerated() {
            guard let current = object else { return }
            guard let token = try? current.observe(key, { [weak self] _ in self?.changed() }) else { return }
            steps.append((current, token))
            if place < keys.count - 1 { object = current.info.entity.propertyNumber(named: key).flatMap { current.target($0) } }
        }
    }

    func end() {
        for (object, token) in steps { object.removeObserver(token) }
        steps = []
    }

    private func changed() {
        guard root != nil else { return end() }
        follow()
        let new = value()
        guard new != last else { return }
        let change = PropertyChange(key: path, old: last, new: new)
        last = new
        handler(change)
    }

    /// What the path leads to; nil where an object along it is missing.
    private func value() -> Value {
        guard steps.count == keys.count, let step = steps.last, let key = keys.last else { return .null }
        return (try? step.object.primitiveValue(forKey: key)) ?? .null
    }
}
