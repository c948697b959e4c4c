/// A tree of plain values, stored by RFC 8949 (CBOR) with definite lengths.
///
/// The catalog and the model are kept in this form, so that a program that knows neither can still show them.
package indirect enum CBOR: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case array([CBOR])
    /// Pairs in the order they were written; keys are strings in everything the log writes, and unique.
    case map([(key: String, value: CBOR)])

    package static func == (a: CBOR, b: CBOR) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
        case (.bytes(let x), .bytes(let y)): x == y
        case (.array(let x), .array(let y)): x == y
        case (.map(let x), .map(let y)):
            x.count == y.count && zip(x, y).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
        default: false
        }
    }
}

extension CBOR: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: CBOR...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, CBOR)...) { self = .map(elements.map { (key: $0.0, value: $0.1) }) }
}

extension CBOR {
    package subscript(key: String) -> CBOR? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }
    package var intValue: Int64? { if case .int(let value) = self { value } else { nil } }
    package var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    package var arrayValue: [CBOR]? { if case .array(let value) = self { value } else { nil } }
    package var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    package var mapValue: [(key: String, value: CBOR)]? { if case .map(let value) = self { value } else { nil } }
}
