/// Which of the hooks of `ManagedObject` a class overrides, so that objects of classes that do not are spared the calls.
///
/// `@Entity` writes it, for it sees all of a class. A class that says nothing is taken to override every hook.
public struct ClassHooks: Sendable {
    /// Hooks that go together.
    public struct Kinds: OptionSet, Sendable {
        /// One bit for each kind.
        public let rawValue: Int
        /// The kinds of a bit mask.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// `willChangeValue(forKey:)`, `didChangeValue(forKey:)`.
        public static let changing = Kinds(rawValue: 1)
        /// `willAccessValue(forKey:)`, `didAccessValue(forKey:)`.
        public static let access = Kinds(rawValue: 2)
        /// `validateForInsert()`, `validateForUpdate()`, `validateForDelete()`, `validateValue(_:forKey:)`.
        public static let validation = Kinds(rawValue: 4)
        /// `willSave()`, `didSave()`.
        public static let saving = Kinds(rawValue: 8)
        /// `willTurnIntoFault()`, `didTurnIntoFault()`.
        public static let faulting = Kinds(rawValue: 16)
        /// `awakeFromInsert()`, `awakeFromFetch()`, `awake(fromSnapshotEvents:)`.
        public static let awaking = Kinds(rawValue: 32)
        /// No hook, but what ends with an object: stored properties of the class's own, a `deinit`.
        public static let state = Kinds(rawValue: 64)
        /// All of them.
        public static let all: Kinds = [.changing, .access, .validation, .saving, .faulting, .awaking, .state]
    }

    private let owner: ObjectIdentifier?
    private let kinds: Kinds

    /// What a class overrides itself, and what its superclass says.
    public init(of owner: ManagedObject.Type, _ kinds: Kinds, and inherited: ClassHooks? = nil) {
        self.owner = ObjectIdentifier(owner)
        self.kinds = inherited.map { kinds.union($0.kinds) } ?? kinds
    }

    /// Of a class of which nothing is known.
    static let unknown = ClassHooks()
    private init() {
        owner = nil
        kinds = .all
    }

    /// What is known of a class: a subclass without `@Entity` inherits what was said of another, which does not speak for it.
    package func vouched(for objectClass: ManagedObject.Type) -> Kinds { owner == ObjectIdentifier(objectClass) ? kinds : .all }
}
