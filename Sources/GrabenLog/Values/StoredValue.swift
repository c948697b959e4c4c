package import FoundationEssentials

/// A field's value as a record holds it: like `Value`, but with rows where that has object ids.
package enum StoredValue: Sendable {
    case null
    case bool(Bool)
    /// Int16, Int32 and Int64 fields.
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(Decimal)
    /// Seconds since the first instant of 2001.
    case date(Double)
    case uuid(UUID)
    case string(String)
    case data(Data)
    case uri(String)
    case json(Data)
    case reference(EntityCode, Row)
}

extension StoredValue: Equatable {
    /// Equal when the stored bytes are, except that NaN equals itself.
    package static func == (a: StoredValue, b: StoredValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern || (x.isNaN && y.isNaN)
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)): x.bitPattern == y.bitPattern || (x.isNaN && y.isNaN)
        case (.decimal(let x), .decimal(let y)): x == y || (x.isNaN && y.isNaN)
        case (.uuid(let x), .uuid(let y)): x == y
        case (.string(let x), .string(let y)), (.uri(let x), .uri(let y)): x.utf8.elementsEqual(y.utf8)
        case (.data(let x), .data(let y)), (.json(let x), .json(let y)): x == y
        case (.reference(let e, let r), .reference(let f, let s)): e == f && r == s
        default: false
        }
    }
}
