internal import GrabenModel

extension AttributeType {
    /// The type of a value in Swift.
    func swiftType(of attribute: AttributeDescription) -> String {
        switch self {
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int64"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .boolean: "Bool"
        case .string: "String"
        case .date: "Date"
        case .data: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .transformable: "Value"
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
