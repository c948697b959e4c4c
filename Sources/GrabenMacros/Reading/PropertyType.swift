import SwiftSyntax

/// The type of a property as its text says it: macros see no more.
struct PropertyType {
    enum Shape {
        /// A type that attributes hold as it is, with the case of `AttributeType`.
        case value(String)
        /// A vector of Doubles or Floats.
        case vector(Packing.Scalar, width: Int)
        case toMany(String, ordered: Bool)
        case array(String)
        /// `Set<T>`: what people expect a to-many to be.
        case set(String)
        /// A type by its name, of which nothing more is known.
        case named
        /// A tuple, a function, a dictionary, a type with `any` or `some`.
        case other
    }

    /// The type without its Optional.
    let text: String
    let isOptional: Bool
    /// `T!`, which no property of an object can be.
    let isImplicitlyUnwrapped: Bool
    let shape: Shape

    private static let values = [
        "Bool": "boolean", "Int": "int64", "Int16": "int16", "Int32": "int32", "Int64": "int64", "Double": "double", "Float": "float",
        "Decimal": "decimal", "String": "string", "Date": "date", "Data": "data", "UUID": "uuid", "URL": "uri",
    ]
    /// Names that are certainly no class of managed objects, though attributes do not hold them.
    static let foreign: Set<String> = [
        "Int8", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Int128", "UInt128", "Float16", "Float80", "CGFloat", "Character",
        "Substring",
        "Any", "AnyObject", "Void", "Never", "NSNumber", "NSString", "NSDate", "NSData", "NSObject", "NSSet", "NSOrderedSet", "NSArray",
    ]

    init(_ type: TypeSyntax) {
        var type = type.trimmed
        var isOptional = false
        var isImplicit = false
        if let optional = type.as(OptionalTypeSyntax.self) {
            (type, isOptional) = (optional.wrappedType, true)
        } else if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            (type, isOptional, isImplicit) = (implicit.wrappedType, true, true)
        } else if let (name, arguments) = Self.generic(type), name == "Optional", arguments.count == 1 {
            (type, isOptional) = (arguments[0], true)
        }
        self.isOptional = isOptional
        isImplicitlyUnwrapped = isImplicit
        text = type.trimmedDescription
        shape = Self.shape(type)
    }

    /// A type that a literal has.
    init?(inferredFrom value: ExprSyntax) {
        var literal = value
        if let negated = value.as(PrefixOperatorExprSyntax.self) { literal = negated.expression }
        let name: String
        if literal.is(IntegerLiteralExprSyntax.self) {
            name = "Int"
        } else if literal.is(FloatLiteralExprSyntax.self) {
            name = "Double"
        } else if literal.is(StringLiteralExprSyntax.self) {
            name = "String"
        } else if literal.is(BooleanLiteralExprSyntax.self) {
            name = "Bool"
        } else {
            return nil
        }
        self.init("\(raw: name)")
    }

    private static func shape(_ type: TypeSyntax) -> Shape {
        if let array = type.as(ArrayTypeSyntax.self) { return .array(array.element.trimmedDescription) }
        if let (name, arguments) = generic(type) {
            switch name {
            case "ToMany" where arguments.count == 1: return .toMany(arguments[0].trimmedDescription, ordered: false)
            case "OrderedToMany" where arguments.count == 1: return .toMany(arguments[0].trimmedDescription, ordered: true)
            case "Array" where arguments.count == 1: return .array(arguments[0].trimmedDescription)
            case "Set" where arguments.count == 1: return .set(arguments[0].trimmedDescription)
            case "SIMD2", "SIMD3", "SIMD4":
                guard let width = name.last?.wholeNumberValue, let scalar = arguments.first?.trimmedDescription.lastComponent,
                    let packing = Packing.Scalar(rawValue: scalar)
                else { return .other }
                return .vector(packing, width: width)
            default: return .named
            }
        }
        if let identifier = type.as(IdentifierTypeSyntax.self) {
            return values[identifier.name.text].map { .value($0) } ?? .named
        }
        if let member = type.as(MemberTypeSyntax.self) {
            let modules = ["Swift", "Foundation", "FoundationEssentials"]
            if modules.contains(member.baseType.trimmedDescription), let value = values[member.name.text] { return .value(value) }
            return .named
        }
        return .other
    }

    private static func generic(_ type: TypeSyntax) -> (name: String, arguments: [TypeSyntax])? {
        let clause = type.as(IdentifierTypeSyntax.self)?.genericArgumentClause ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
        let name = type.as(IdentifierTypeSyntax.self)?.name.text ?? type.as(MemberTypeSyntax.self)?.name.text
        guard let clause, let name else { return nil }
        return (name, clause.arguments.compactMap { argument in argument.argument.as(TypeSyntax.self) })
    }
}
