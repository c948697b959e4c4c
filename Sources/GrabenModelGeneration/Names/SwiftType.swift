internal import FoundationEssentials
internal import GrabenLog
internal import GrabenModel

/// How an attribute's values appear in Swift.
enum SwiftType: Equatable {
    /// A type that attributes hold as it is: `Double`.
    case plain(String)
    /// A type whose raw values the attribute holds.
    case raw(String)
    /// A type that is kept as JSON: one of the program's own, or the structure of a composite.
    case coded(String)
    /// JSON that no type is named for.
    case untyped

    init(of attribute: AttributeDescription) {
        if let composite = attribute.composite {
            self = .coded(composite.swiftIdentifier)
        } else if let name = attribute.valueClassName, !name.isEmpty, !name.isForeignClass {
            self = attribute.type == .transformable ? .coded(name) : .raw(name)
        } else {
            self = attribute.type.swiftName.map(SwiftType.plain) ?? .untyped
        }
    }

    /// The type as it is written.
    var name: String {
        switch self {
        case .plain(let name), .raw(let name), .coded(let name): name
        case .untyped: "Value"
        }
    }
}

extension AttributeType {
    /// What stands for no value, of types that Foundation has alone: in a default argument, which may be compiled into another module.
    var foundationMissing: String {
        switch self {
        case .date: "Date(timeIntervalSinceReferenceDate: 0)"
        case .uuid: "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))"
        case .uri: "URL(filePath: \"/\")"
        default: swiftMissing
        }
    }

    /// What a property that is not optional answers where an object has no value, as after the deletion of its record.
    var swiftMissing: String {
        switch self {
        case .int16, .int32, .int64, .double, .float, .decimal: "0"
        case .boolean: "false"
        case .string: "\"\""
        case .data: "Data()"
        case .date, .uuid, .uri: ".missingPrimitive"
        case .transformable: ".null"
        }
    }
}

extension String {
    /// Whether it is a class of Apple's frameworks, which no program here can name: `NSColor`, `UIImage`.
    fileprivate var isForeignClass: Bool {
        ["NS", "UI"].contains { hasPrefix($0) && dropFirst($0.count).first?.isUppercase == true }
    }

    /// Whether it can only be a type's name, as `[String: Int]` or `Drawing.Style?`; text from a file becomes code nowhere else.
    var isSwiftTypeName: Bool {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar == "_" || scalar.properties.isXIDContinue || ".,:?<>[] ".unicodeScalars.contains(scalar)
        }
        return isPlain && !isEmpty && filter { $0 == "[" }.count == filter { $0 == "]" }.count
            && filter { $0 == "<" }.count == filter { $0 == ">" }.count
    }
}

extension Value {
    /// The value as an expression of Swift of the type that an attribute's property has.
    var swiftExpression: String? {
        switch self {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): value.isFinite ? "\(value)" : value.isNaN ? ".nan" : value < 0 ? "-.infinity" : ".infinity"
        case .double(let value): value.isFinite ? "\(value)" : value.isNaN ? ".nan" : value < 0 ? "-.infinity" : ".infinity"
        case .decimal(let value): "Decimal(string: \"\(value.description)\") ?? 0"
        case .string(let value): SwiftText.literal(value)
        case .date(let value): "Date(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))"
        case .data(let value): "Data(base64Encoded: \"\(value.base64EncodedString())\") ?? Data()"
        case .uuid(let value): "UUID(uuidString: \"\(value.uuidString)\") ?? \(AttributeType.uuid.foundationMissing)"
        case .uri(let value): "URL(string: \(SwiftText.literal(value))) ?? \(AttributeType.uri.foundationMissing)"
        case .null, .json, .reference, .references: nil
        }
    }
}
