import Foundation
import GrabenLog
import GrabenPredicate

extension Translated {
    /// What a predicate captured: a constant, bounds, or something only certain expressions know what to do with.
    init(captured value: Any) {
        if let literal = PredicateLiteral(captured: value) {
            self = .value(ValueExpression(literal))
        } else if let range = value as? any CapturedRange {
            self = range.translated
        } else {
            self = .opaque(value)
        }
    }
}

extension PredicateLiteral {
    /// The constant that stands for a captured value; nil where none does. Enums are their raw values, as in attributes.
    init?(captured value: Any) {
        switch value {
        case is any CapturedRange: return nil
        case let argument as any PredicateArgument: self = argument.predicateLiteral
        case let optional as any CapturedOptional:
            guard let wrapped = optional.wrapped else {
                self = .value(.null)
                return
            }
            self.init(captured: wrapped)
        case let character as Character: self = .value(.string(String(character)))
        case let url as URL: self = .value(.uri(url.absoluteString))
        case let enumeration as any RawRepresentable: self.init(captured: enumeration.rawValue)
        case let members as any Collection:
            guard !(value is any StringProtocol) else { return nil }
            var literals: [PredicateLiteral] = []
            for member in members {
                guard let literal = PredicateLiteral(captured: member) else { return nil }
                literals.append(literal)
            }
            self = .collection(literals)
        default: return nil
        }
    }
}

private protocol CapturedOptional {
    var wrapped: Any? { get }
}

extension Optional: CapturedOptional {
    fileprivate var wrapped: Any? { self }
}

/// Ranges as constants: they are collections too where their bounds are integers, and must not be taken apart.
private protocol CapturedRange {
    var translated: Translated { get }
}

private func bounds(_ lower: Any?, _ upper: Any?, includesUpper: Bool, of range: Any) -> Translated {
    var ends: [ValueExpression?] = []
    for end in [lower, upper] {
        guard let end else {
            ends.append(nil)
            continue
        }
        guard let literal = PredicateLiteral(captured: end) else { return .opaque(range) }
        ends.append(ValueExpression(literal))
    }
    return .range(lower: ends[0], upper: ends[1], includesUpper: includesUpper)
}

extension Range: CapturedRange {
    fileprivate var translated: Translated { bounds(lowerBound, upperBound, includesUpper: false, of: self) }
}

extension ClosedRange: CapturedRange {
    fileprivate var translated: Translated { bounds(lowerBound, upperBound, includesUpper: true, of: self) }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate var translated: Translated { bounds(lowerBound, nil, includesUpper: false, of: self) }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate var translated: Translated { bounds(nil, upperBound, includesUpper: false, of: self) }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate var translated: Translated { bounds(nil, upperBound, includesUpper: true, of: self) }
}
