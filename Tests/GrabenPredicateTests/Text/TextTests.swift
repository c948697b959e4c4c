import Foundation
import Testing

@testable import GrabenPredicate

@Suite("Text")
struct TextTests {
    @Test("every scalar decomposes and composes to what the standard library holds equivalent, and stays what it is")
    func normalForms() {
        var failures: [String] = []
        for code in UInt32(0)..<0x2FA20 {
            guard let scalar = Unicode.Scalar(code) else { continue }
            var scalars: [Unicode.Scalar] = []
            TextFolding.decompose(scalar, into: &scalars)
            TextFolding.order(&scalars)
            let decomposed = String(String.UnicodeScalarView(scalars))
            TextFolding.compose(&scalars)
            let composed = String(String.UnicodeScalarView(scalars))
            if decomposed != String(scalar) || composed != String(scalar) || scalars.count > 3 { failures.append(String(code, radix: 16)) }
        }
        #expect(failures.isEmpty, "\(failures.prefix(20))")
    }

    @Test("folding twice changes nothing more, and equivalent strings fold to the same bytes")
    func idempotence() {
        var random = SeededGenerator(5)
        let alphabet = Array("aÀßẞſKÅΣςİıéŁøﬁ한각ᄒ\u{1161}\u{11A8}\u{301}\u{327}\u{323}\u{345}ǅԵևᾳ𝒜Ꭰꭰ😀".unicodeScalars)
        let choices: [PredicateStringOptions] = [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]
        for _ in 0..<20_000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...6, using: &random) { view.append(alphabet.randomElement(using: &random) ?? "a") }
            let text = String(view)
            for options in choices {
                let once = TextFolding.fold(text, options)
                let again = TextFolding.fold(once, options)
                if !TextSearch.equal(once, again) {
                    Issue.record("\(text.unicodeScalars.map { String($0.value, radix: 16) }) \(options.rawValue)")
                }
                var scalars = Array(
                    text.unicodeScalars.flatMap { scalar in
                        var parts: [Unicode.Scalar] = []
                        TextFolding.decompose(scalar, into: &parts)
                        return parts
                    })
                TextFolding.order(&scalars)
                if !TextSearch.equal(TextFolding.fold(String(String.UnicodeScalarView(scalars)), options), once) { Issue.record("\(text)") }
            }
        }
    }

    @Test("LIKE answers what a plain recursive matcher answers")
    func like() {
        func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            let rest = pattern.dropFirst()
            switch first {
            case "*": return matches(rest, text) || (!text.isEmpty && matches(pattern, text.dropFirst()))
            case "?": return !text.isEmpty && matches(rest, text.dropFirst())
            case "\\" where !rest.isEmpty: return text.first == rest.first && matches(rest.dropFirst(), text.dropFirst())
            default: return text.first == first && matches(rest, text.dropFirst())
            }
        }
        var random = SeededGenerator(6)
        for _ in 0..<50_000 {
            let pattern = String((0..<Int.random(in: 0...6, using: &random)).map { _ in "ab*?\\".randomElement(using: &random) ?? "a" })
            let text = String((0..<Int.random(in: 0...6, using: &random)).map { _ in "ab*\\".randomElement(using: &random) ?? "a" })
            if LikePattern(pattern).matches(text) != matches(Array(pattern)[...], Array(text)[...]) {
                Issue.record("\(text) LIKE \(pattern)")
            }
        }
    }

    @Test("no pattern makes compiling a regular expression trap")
    func patterns() {
        var random = SeededGenerator(7)
        let parts = [
            "(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "\\", "^", "$", ".", "a", "-", "1", ",", "\\p", "\\d", "(?", ":", "<", "=",
            "!", "&&", "\\u", "#", "é", "😀",
        ]
        var compiled = 0
        for _ in 0..<5_000 {
            let pattern = (0..<Int.random(in: 0...8, using: &random)).map { _ in parts.randomElement(using: &random) ?? "a" }.joined()
            if let match = try? MatchPattern(pattern, [.caseInsensitive]) {
                compiled += 1
                _ = try? match.matches("a1-")
            }
        }
        #expect(compiled > 100)
    }

    @Test("searching bytes finds what searching scalars finds")
    func searching() {
        var random = SeededGenerator(8)
        for _ in 0..<20_000 {
            func text(_ length: Int) -> String {
                String((0..<Int.random(in: 0...length, using: &random)).map { _ in "ab😀é".randomElement(using: &random) ?? "a" })
            }
            let (a, b) = (text(8), text(3))
            let (x, y) = (Array(a.unicodeScalars), Array(b.unicodeScalars))
            let found = y.isEmpty || (x.count >= y.count && (0...(x.count - y.count)).contains { Array(x[$0..<$0 + y.count]) == y })
            #expect(TextSearch.contains(a, b) == found)
            #expect(TextSearch.begins(a, with: b) == x.starts(with: y))
            #expect(TextSearch.ends(a, with: b) == x.reversed().starts(with: y.reversed()))
            #expect((TextSearch.order(a, b) < 0) == x.lexicographicallyPrecedes(y))
            #expect((TextSearch.order(a, b) == 0) == (x == y))
        }
    }
}
