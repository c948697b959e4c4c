import GrabenLog
import GrabenModel
import GrabenPredicate

/// Arguments and variables of a predicate as the command line takes them: JSON, plain or with its type said.
///
/// `{"t": "int", "v": 5}` is 5; the types are string, int, double, bool, date, null, array and object. Members of a typed array may be typed
/// themselves; the fields of an object are plain.
enum PredicateInput {
    private static let types = ["string", "int", "double", "bool", "date", "null", "array", "object"]

    /// `--args`: what stands for `%@`, `%K` and `%d` in turn. Objects come as variables, which have to be bound besides.
    static func arguments(_ text: String?) throws(CLIError) -> (arguments: [FormatArgument], objects: [String: PredicateBinding]) {
        guard let text else { return ([], [:]) }
        guard case .array(let elements) = try tree(text, "args") else {
            throw refusal("args", "it has to be a JSON array, such as '[\"red\", 5]'")
        }
        var arguments: [FormatArgument] = []
        var objects: [String: PredicateBinding] = [:]
        for (place, element) in elements.enumerated() {
            let value = try value(element, "args", "argument \(place + 1)")
            if let literal = PredicateLiteral(value) {
                arguments.append(.literal(literal))
            } else {
                // No format spells a name with a percent sign, so this clashes with no variable.
                let name = "%\(place + 1)"
                objects[name] = PredicateBinding(value, name: "argument \(place + 1)")
                arguments.append(.variable(name))
            }
        }
        return (arguments, objects)
    }

    /// `--vars`: values of `$variables` by their names.
    static func variables(_ text: String?) throws(CLIError) -> [String: PredicateBinding] {
        guard let text else { return [:] }
        guard case .map(let fields) = try tree(text, "vars") else {
            throw refusal("vars", "it has to be a JSON object, such as '{\"color\": \"red\"}'")
        }
        var variables: [String: PredicateBinding] = [:]
        for field in fields {
            let name = field.key.hasPrefix("$") ? String(field.key.dropFirst()) : field.key
            variables[name] = PredicateBinding(try value(field.value, "vars", "$\(name)"), name: "$\(name)")
        }
        return variables
    }

    private static func tree(_ text: String, _ option: String) throws(CLIError) -> CBOR {
        do throws(JSONText.Mistake) { return try JSONText.tree(of: text.utf8) } catch {
            throw refusal(option, "it is not JSON: \(error.description)")
        }
    }

    private static func refusal(_ option: String, _ reason: String) -> CLIError {
        .usage("bad-value", "--\(option) cannot be used: \(reason)", hint: "graben help filter")
    }

    // MARK: Values

    private static func value(_ tree: CBOR, _ option: String, _ place: String) throws(CLIError) -> PlainValue {
        do throws(PlainJSON.Misfit) { return try value(tree) } catch { throw refusal(option, "\(place): \(error.reason)") }
    }

    private static func value(_ tree: CBOR) throws(PlainJSON.Misfit) -> PlainValue {
        switch tree {
        case .map(let fields):
            if let type = try type(of: fields) { return try typed(type, tree["v"]) }
            return try PlainJSON.value(tree)
        case .array(let elements):
            var members: [PlainValue] = []
            for element in elements { members.append(try value(element)) }
            return .array(members)
        default: return try PlainJSON.value(tree)
        }
    }

    /// The type that an object of the keys t and v says; nil for any other object.
    private static func type(of fields: [(key: String, value: CBOR)]) throws(PlainJSON.Misfit) -> String? {
        guard fields.count <= 2, case .string(let type)? = fields.first(where: { $0.key == "t" })?.value else { return nil }
        if fields.count == 1 { return type == "null" ? type : nil }
        guard fields.contains(where: { $0.key == "v" }) else { return nil }
        guard types.contains(type) else {
            throw PlainJSON.Misfit(
                reason: "\(type.shown) is no type\(suggestion(nearestName(to: type, in: types))); the types are "
                    + "\(types.joined(separator: ", ")), and an object that is meant itself is {\"t\": \"object\", \"v\": {…}}")
        }
        return type
    }

    private static func typed(_ type: String, _ tree: CBOR?) throws(PlainJSON.Misfit) -> PlainValue {
        switch (type, tree ?? .null) {
        case ("string", .string(let text)): return .value(.string(text))
        case ("int", .int(let number)): return .value(.int(number))
        case ("double", let tree): return .value(.double(try PlainJSON.double(tree)))
        case ("bool", .bool(let value)): return .value(.bool(value))
        case ("date", .string), ("date", .int), ("date", .double): return .value(.date(try PlainJSON.date(tree ?? .null)))
        case ("date", .map):
            if case .value(.date(let date)) = try PlainJSON.value(tree ?? .null) { return .value(.date(date)) }
        case ("null", .null): return .value(.null)
        case ("array", .array): return try value(tree ?? .null)
        case ("object", .map(let fields)): return .object(try PlainJSON.fields(fields))
        default: break
        }
        throw PlainJSON.Misfit(reason: "what stands under \"v\" is no \(type)")
    }
}
