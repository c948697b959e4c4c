import FoundationEssentials
import GrabenFixtures
import GrabenLog
import GrabenPredicate

/// Makes formats that nearly mean something, and looks at what becomes of them.
///
/// Whatever the text, parsing, printing, binding and evaluating have to end in an answer or a typed error, and soon.
package struct PredicateFuzzer {
    /// Something that must not happen; the format shows it again.
    package struct Finding: CustomStringConvertible {
        package let format: String
        package let what: String
        package var description: String { "\(what): \(format.debugDescription)" }
    }

    private var random: SplitMix64
    /// Formats that parsed, from which others are made; the seeds to begin with.
    private var corpus: [String]
    private let record: PlainRecord
    private let variables: [String: PredicateBinding]
    package private(set) var parsed = 0
    package private(set) var answered = 0

    package init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        corpus = FuzzingWords.formats
        record = FuzzingWords.record()
        variables = ["x": .value(.int(3)), "y": .list([.value("a"), .value(.null)]), "o": .object(FuzzingWords.record())]
    }

    /// Makes a format.
    package mutating func next() -> String {
        var text = Array(pick(corpus).unicodeScalars)
        for _ in 0...below(3) { mutate(&text) }
        if text.count > 2_000 { text.removeLast(text.count - 2_000) }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text)
        return String(view)
    }

    private mutating func mutate(_ text: inout [Unicode.Scalar]) {
        let place = below(text.count + 1)
        let end = min(text.count, place + below(12))
        switch below(8) {
        case 0: text.insert(contentsOf: " \(pick(FuzzingWords.tokens)) ".unicodeScalars, at: place)
        case 1: text.removeSubrange(place..<end)
        case 2: text.replaceSubrange(place..<end, with: pick(FuzzingWords.tokens).unicodeScalars)
        case 3: text.insert(contentsOf: text[place..<end], at: below(text.count + 1))
        case 4:
            // A part of another format.
            let other = Array(pick(corpus).unicodeScalars)
            let from = below(other.count + 1)
            text.insert(contentsOf: other[from..<min(other.count, from + below(30))], at: place)
        case 5:
            // Brackets of one kind, many of them.
            let (open, close) = pick([
                ("(", ")"), ("NOT ", ""), ("{", "}"), ("abs(", ")"), ("-", ""), ("SUBQUERY(items, $i, ", ").@count > 0"),
            ])
            let count = 1 + below(below(4) == 0 && !close.contains("@") ? 300 : 6)
            text.insert(contentsOf: String(repeating: close, count: count).unicodeScalars, at: end)
            text.insert(contentsOf: String(repeating: open, count: count).unicodeScalars, at: place)
        case 6: if place < text.count { text[place] = Unicode.Scalar(UInt32(below(0xD7FF))) ?? " " }
        default:
            text = Array("(\(String(String.UnicodeScalarView(text)))) \(pick(["AND", "OR", "+", "=="])) \(pick(corpus))".unicodeScalars)
        }
    }

    /// Runs a format through everything; nil where all is as it has to be.
    package mutating func check(_ format: String) -> Finding? {
        let clock = ContinuousClock()
        let start = clock.now
        let limits = PredicateLimits(allowsMatches: false)
        let predicate: ObjectPredicate
        do throws(ObjectPredicateError) {
            predicate = try ObjectPredicate(format: format, arguments: ["number", 3, [1, 2]], limits: limits)
        } catch {
            guard case .syntax(let problem) = error else { return Finding(format: format, what: "parsing ends in \(error)") }
            if problem.position > format.unicodeScalars.count { return Finding(format: format, what: "an error beyond the end") }
            return problem.description.isEmpty ? Finding(format: format, what: "an error says nothing") : nil
        }
        parsed += 1
        if corpus.count < 4_000 || below(100) == 0 {
            if corpus.count < 4_000 { corpus.append(format) } else { corpus[below(corpus.count)] = format }
        }
        let printed = predicate.format
        do throws(ObjectPredicateError) {
            let again = try ObjectPredicate(format: printed, arguments: [], limits: PredicateLimits(depth: 1_024, formatLength: 1 << 24))
            if again != predicate { return Finding(format: format, what: "printed as another predicate, \(printed)") }
        } catch { return Finding(format: format, what: "printed as what cannot be parsed, \(printed): \(error)") }
        let first = outcome(of: predicate)
        let isChanging = printed.contains("random")
        if !isChanging, first != outcome(of: predicate) { return Finding(format: format, what: "two answers") }
        // The double negation takes another way through the compiled form.
        if !isChanging, let first, outcome(of: !(!predicate && ObjectPredicate(value: true))) != first {
            return Finding(format: format, what: "negated twice it is another")
        }
        let time = clock.now - start
        return time > .seconds(30) ? Finding(format: format, what: "it took \(time)") : nil
    }

    /// The answer, or nil for an error.
    private mutating func outcome(of predicate: ObjectPredicate) -> Bool? {
        do throws(ObjectPredicateError) {
            let bound = try predicate.bind(to: record.schema, variables: variables, now: Date(timeIntervalSinceReferenceDate: 0))
            let answer = try bound.evaluate(record)
            answered += 1
            return answer
        } catch {
            precondition(!error.description.isEmpty, "an error says nothing")
            return nil
        }
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &random) }
    private mutating func pick<T>(_ elements: [T]) -> T { elements[below(elements.count)] }
}
