import GrabenLog

/// A bound predicate as a tree of comparisons that can run over stored bytes and columns, and of what only the interpreter can answer.
///
/// The logic is two-valued (D1), so a batch of rows is a bitmap and AND, OR and NOT are operations on words. No member of an AND or OR is ever moved
/// before or behind one that may fail on some object: whether an error comes must not depend on the plan.
package indirect enum CompiledTest {
    case constant(Bool)
    case attribute(AttributeTest)
    case not(CompiledTest)
    case all([CompiledTest])
    case any([CompiledTest])
    case evaluated(PredicateConjunct)

    /// Whether no object makes it fail, but by a value that cannot be read.
    package var isSafe: Bool {
        switch self {
        case .constant: true
        case .attribute(let test): test.conjunct.isSafe
        case .evaluated(let conjunct): conjunct.isSafe
        case .not(let inner): inner.isSafe
        case .all(let members), .any(let members): members.allSatisfy(\.isSafe)
        }
    }

    /// The test of a conjunction, with what is nested flattened.
    static func conjunction(_ members: [CompiledTest]) -> CompiledTest {
        var flat: [CompiledTest] = []
        for member in members {
            if case .constant(true) = member { continue }
            if case .all(let inner) = member { flat += inner } else { flat.append(member) }
        }
        if flat.isEmpty { return .constant(true) }
        return flat.count == 1 ? flat[0] : .all(flat)
    }

    static func disjunction(_ members: [CompiledTest]) -> CompiledTest {
        var flat: [CompiledTest] = []
        for member in members {
            if case .constant(false) = member { continue }
            if case .any(let inner) = member { flat += inner } else { flat.append(member) }
        }
        if flat.isEmpty { return .constant(false) }
        return flat.count == 1 ? flat[0] : .any(flat)
    }

    static func negation(_ test: CompiledTest) -> CompiledTest {
        switch test {
        case .constant(let answer): .constant(!answer)
        case .not(let inner): inner
        default: .not(test)
        }
    }

    /// The same test with the members of each AND and OR in the order in which they are best tried, those with the least rank first, within each run of
    /// members that cannot fail.
    package func arranged(_ rank: (CompiledTest) -> Double) -> CompiledTest {
        switch self {
        case .constant, .attribute, .evaluated: self
        case .not(let inner): .not(inner.arranged(rank))
        case .all(let members): .all(Self.sorted(members.map { $0.arranged(rank) }, rank))
        case .any(let members): .any(Self.sorted(members.map { $0.arranged(rank) }, rank))
        }
    }

    private static func sorted(_ members: [CompiledTest], _ rank: (CompiledTest) -> Double) -> [CompiledTest] {
        var result: [CompiledTest] = []
        var run: [(rank: Double, place: Int, test: CompiledTest)] = []
        func flush() {
            result += run.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.test)
            run = []
        }
        for member in members {
            if member.isSafe {
                run.append((rank(member), run.count, member))
            } else {
                flush()
                result.append(member)
            }
        }
        flush()
        return result
    }

    /// The parts that must all be true, as far as they may be looked at in any order: those before the first that can fail.
    package var leadingConjuncts: ArraySlice<CompiledTest> {
        guard case .all(let members) = self else { return isSafe ? [self] : [] }
        return members.prefix { $0.isSafe }
    }
}

extension CompiledTest {
    /// The test in the format language, for telling of plans.
    package var format: String {
        switch self {
        case .constant(let answer): return answer ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .attribute(let test): return test.conjunct.format
        case .evaluated(let conjunct): return conjunct.format
        case .not(.attribute(let test)):
            if case .comparison(var comparison)? = test.conjunct.test.node, comparison.comparison == .equal {
                comparison.comparison = .notEqual
                return PredicateNode.comparison(comparison).format
            }
            return "NOT \(test.conjunct.format)"
        case .not(let inner): return "NOT (\(inner.format))"
        case .all(let members): return Self.join(members, " AND ")
        case .any(let members): return Self.join(members, " OR ")
        }
    }

    /// What one comparison became several of is told once.
    private static func join(_ members: [CompiledTest], _ word: String) -> String {
        var parts: [String] = []
        for member in members where parts.last != member.format { parts.append(member.format) }
        return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: word) + ")"
    }
}

/// A comparison of an attribute of the object itself with constants.
package struct AttributeTest {
    /// The attribute's number.
    package let property: Int
    /// What it says, for an index; nil where an index of plain values cannot answer it.
    package let condition: PropertyCondition?
    /// What it says of stored bytes; nil where it needs the value as the language sees it.
    package let form: StoredForm?
    /// The same by the interpreter.
    package let conjunct: PredicateConjunct
}

/// A comparison as a test of stored bytes; never true of nil but in `isNull`.
package enum StoredForm: Sendable {
    case isNull
    /// Whether a number, or the seconds of a date, lies in one of the ranges: those of integers for whole numbers, the others for doubles and floats.
    /// NaN lies in none.
    case numbers(FieldNumbers)
    case text(FieldText)
}
