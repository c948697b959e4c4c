extension StoreLocation: Hashable {
    /// Whether both are the same file, both memory, or both the same engine.
    public static func == (a: StoreLocation, b: StoreLocation) -> Bool {
        switch (a, b) {
        case (.file(let x), .file(let y)): x == y
        case (.inMemory, .inMemory): true
        case (.engine(let x), .engine(let y)): x === y
        default: false
        }
    }

    /// Hashes which file or engine it is.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .file(let path): hasher.combine(path)
        case .inMemory: hasher.combine(0)
        case .engine(let engine): hasher.combine(ObjectIdentifier(engine))
        }
    }

    /// What messages call it.
    var name: String {
        switch self {
        case .file(let path): path
        case .inMemory: "memory"
        case .engine(let engine): engine.name
        }
    }

    var engine: (any StoreEngine)? {
        if case .engine(let engine) = self { engine } else { nil }
    }
}
