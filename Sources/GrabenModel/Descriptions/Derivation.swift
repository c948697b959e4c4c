/// How the value of a derived attribute follows from others, as its expression says it.
///
/// The forms are those that Core Data documents for derived attributes: `title`, `owner.name`, `uppercase:(title)`, `lowercase:(title)`,
/// `canonical:(title)`, `lines.@count`, `lines.@sum.length` (and `@min`, `@max`, `@avg`) and `now()`.
public enum Derivation: Sendable, Hashable {
    /// The value at the end of a path of to-one relationships, changed by a function.
    case value([String], Function?)
    /// How many members a to-many relationship has; the path leads to it.
    case count([String])
    /// What the values of an attribute of a to-many relationship's members come to.
    case aggregate(Aggregate, [String], of: [String])
    /// The time of the save that changed the object.
    case now

    /// A function of a text.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// Lowercase and without diacritics, so that a search needs neither.
        case canonical
        case uppercase, lowercase
    }

    /// What many values come to.
    public enum Aggregate: String, Sendable, Hashable, CaseIterable {
        case sum
        case minimum = "min"
        case maximum = "max"
        case average = "avg"
    }

    /// Why an expression is no derivation, for people.
    public struct Refusal: Error, Sendable, Equatable {
        /// What is wrong with it.
        public let reason: String
    }

    /// Reads an expression; case does not count in the names of functions.
    ///
    /// - Throws: `Refusal` with what was found instead.
    public init(_ text: String) throws(Refusal) {
        // Spaces mean nothing anywhere in the forms, but they separate no two names either.
        let words = text.split(whereSeparator: \.isWhitespace)
        let joined = words.joined()
        let splitsName = zip(words, words.dropFirst()).contains { Self.endsInName($0) && Self.beginsName($1) }
        guard !joined.isEmpty, !splitsName else { throw Refusal(reason: Self.forms(instead: text)) }
        if joined.lowercased() == "now()" {
            self = .now
        } else if let open = joined.firstIndex(of: "("), joined.last == ")" {
            var name = joined[..<open]
            if name.last == ":" { name.removeLast() }
            guard let function = Function(rawValue: name.lowercased()) else {
                throw Refusal(reason: "there is no function \"\(name)\"; " + Self.forms(instead: text))
            }
            let argument = joined[joined.index(after: open)...].dropLast()
            guard let path = Self.path(argument), !argument.contains("@") else { throw Refusal(reason: Self.forms(instead: text)) }
            self = .value(path, function)
        } else {
            guard let path = Self.path(Substring(joined)) else { throw Refusal(reason: Self.forms(instead: text)) }
            self = try Self.collected(path, text)
        }
    }

    /// A path without function, which may have one collection operator.
    private static func collected(_ path: [String], _ text: String) throws(Refusal) -> Derivation {
        guard let place = path.firstIndex(where: { $0.hasPrefix("@") }) else { return .value(path, nil) }
        let before = Array(path[..<place])
        let after = Array(path[(place + 1)...])
        guard !before.isEmpty, !after.contains(where: { $0.hasPrefix("@") }) else { throw Refusal(reason: forms(instead: text)) }
        if path[place] == "@count", after.isEmpty { return .count(before) }
        guard let aggregate = Aggregate(rawValue: String(path[place].dropFirst())), !after.isEmpty else {
            throw Refusal(reason: forms(instead: text))
        }
        return .aggregate(aggregate, before, of: after)
    }

    private static func path(_ text: Substring) -> [String]? {
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isPath = keys.allSatisfy { key in (key.hasPrefix("@") ? String(key.dropFirst()) : key).isModelIdentifier }
        return isPath ? keys : nil
    }

    private static func endsInName(_ word: Substring) -> Bool { word.last.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
    private static func beginsName(_ word: Substring) -> Bool { word.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }

    private static func forms(instead text: String) -> String {
        "expected a key path, canonical:(path), uppercase:(path), lowercase:(path), path.@count, path.@sum.key (or @min, @max, @avg) "
            + "or now(), found \"\(text)\""
    }
}

extension Derivation {
    /// The key paths it reads, from the object itself.
    public var keyPaths: [[String]] {
        switch self {
        case .now: []
        case .value(let path, _), .count(let path): [path]
        case .aggregate(_, let path, let key): [path + key]
        }
    }
}

extension AttributeDescription {
    /// How its value follows from others; nil where it is set, and where its expression is no derivation.
    public var derivation: Derivation? { derivationExpression.flatMap { try? Derivation($0) } }
}
