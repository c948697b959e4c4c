import FoundationEssentials
import GrabenLog

/// Prints trees as formats that parse back to the same tree.
struct PredicatePrinter {
    private(set) var text = ""

    // MARK: Predicates

    mutating func print(_ node: PredicateNode) {
        switch node {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let inner):
            text += "NOT "
            print(inner, grouped: inner.isLogical)
        case .and(let members): join(members, " AND ")
        case .or(let members): join(members, " OR ")
        case .comparison(let comparison): print(comparison)
        }
    }

    private mutating func join(_ members: [PredicateNode], _ separator: String) {
        for (index, member) in members.enumerated() {
            if index > 0 { text += separator }
            // Brackets only where the member binds more loosely: an OR in an AND. AND in OR gets them too, for the reader.
            print(member, grouped: member.isLogical)
        }
    }

    private mutating func print(_ node: PredicateNode, grouped: Bool) {
        if grouped { text += "(" }
        print(node)
        if grouped { text += ")" }
    }

    private mutating func print(_ comparison: PredicateComparison) {
        if let quantifier = comparison.quantifier { text += quantifier.rawValue + " " }
        print(comparison.left)
        text += " " + comparison.comparison.rawValue
        if !comparison.options.isEmpty {
            text += "["
            for (letter, option) in PredicateStringOptions.letters where comparison.options.contains(option) { text.append(letter) }
            text += "]"
        }
        text += " "
        print(comparison.right)
    }

    // MARK: Values

    mutating func print(_ expression: ValueExpression) {
        switch expression {
        case .value(let value): print(value)
        case .aggregate(let members):
            text += "{"
            list(members)
            text += "}"
        case .object: text += "SELF"
        case .variable(let name): text += "$" + name
        case .path(let base, let steps): path(base, steps)
        case .chain(let level, let first, let terms):
            print(first, in: level.rawValue - 1)
            for term in terms {
                text += " \(term.operation.rawValue) "
                print(term.operand, in: level.rawValue)
            }
        case .unary(let operation, let operand):
            text += operation.rawValue
            print(operand, in: 11)
        case .function(let function, let arguments): call(function.rawValue, arguments)
        case .custom(let name, let arguments):
            text += "FUNCTION("
            if let target = arguments.first { print(target) }
            text += ", "
            quote(name)
            for argument in arguments.dropFirst() {
                text += ", "
                print(argument)
            }
            text += ")"
        case .cast(let operand, let type): call("CAST", [operand, type])
        case .ternary(let test, let first, let second):
            text += "TERNARY("
            print(test)
            text += ", "
            list([first, second])
            text += ")"
        case .subquery(let collection, let variable, let predicate):
            text += "SUBQUERY("
            print(collection)
            text += ", $\(variable), "
            print(predicate)
            text += ")"
        }
    }

    private mutating func list(_ members: [ValueExpression]) {
        for (index, member) in members.enumerated() {
            if index > 0 { text += ", " }
            print(member)
        }
    }

    private mutating func call(_ name: String, _ arguments: [ValueExpression]) {
        text += name + "("
        list(arguments)
        text += ")"
    }

    /// Prints an operand of an operator of the given level, in brackets where it binds no tighter.
    private mutating func print(_ expression: ValueExpression, in level: Int) {
        let grouped = expression.level <= level
        if grouped { text += "(" }
        print(expression)
        if grouped { text += ")" }
    }

    // MARK: Paths

    private mutating func path(_ base: ValueExpression, _ steps: [PredicateStep]) {
        var rest = steps[...]
        if base == .object, case .key(let name) = steps.first {
            key(name)
            rest = rest.dropFirst()
        } else {
            let isPrimary: Bool
            switch base {
            case .path, .chain, .unary: isPrimary = false
            case .value(.int), .value(.double): isPrimary = false
            default: isPrimary = true
            }
            if !isPrimary { text += "(" }
            print(base)
            if !isPrimary { text += ")" }
        }
        for step in rest { print(step) }
    }

    private mutating func print(_ step: PredicateStep) {
        switch step {
        case .key(let name):
            text += "."
            key(name)
        case .collection(let operation, let keys):
            text += ".@" + operation.rawValue
            for step in keys { print(step) }
            if keys.isEmpty, operation != .count { text += ".self" }
        case .index(let place):
            text += "["
            print(place)
            text += "]"
        case .first: text += "[FIRST]"
        case .last: text += "[LAST]"
        case .size: text += "[SIZE]"
        }
    }

    private mutating func key(_ name: String) {
        if isIdentifier(name) {
            if PredicateKeyword(name) != nil { text += "#" }
            text += name
        } else {
            text += "#"
            quote(name)
        }
    }

    // MARK: Constants

    private mutating func print(_ value: Value) {
        switch value {
        case .null: text += "nil"
        case .bool(let x): text += x ? "TRUE" : "FALSE"
        // The literal of the smallest integer would be a minus before a number that is none.
        case .int(.min): cast(String(Int64.min), .number)
        case .int(let x): text += String(x)
        case .float(let x): print(.double(Double(x)))
        case .double(let x):
            if x.isNaN {
                cast("NaN", .number)
            } else if x.isInfinite {
                cast(x < 0 ? "-Infinity" : "Infinity", .number)
            } else {
                text += String(describing: x)
            }
        case .decimal(let x): cast(x.isNaN ? "NaN" : x.description, .decimal)
        case .string(let x): quote(x)
        case .date(let x):
            text += "CAST("
            print(.double(x.timeIntervalSinceReferenceDate))
            text += ", \"\(CastType.date.rawValue)\")"
        case .data(let x): cast(hexadecimal(x), .data)
        case .uuid(let x): cast(x.uuidString, .uuid)
        case .uri(let x): cast(x, .uri)
        case .json(let x): cast(hexadecimal(x), .json)
        case .reference(let id): cast("\(id.storeNumber)/\(id.entityNumber)/\(id.row)", .object)
        case .references(let ids): print(ValueExpression(.value(.references(ids))))
        }
    }

    private mutating func cast(_ constant: String, _ type: CastType) {
        text += "CAST("
        quote(constant)
        text += ", \"\(type.rawValue)\")"
    }

    private func hexadecimal(_ data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(data.count * 2)
        for byte in data {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func quote(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    text += "\\x" + hexadecimal(Data([UInt8(scalar.value)]))
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }
}

extension PredicateNode {
    /// A format string that parses to the same tree.
    package var format: String {
        var printer = PredicatePrinter()
        printer.print(self)
        return printer.text
    }

    fileprivate var isLogical: Bool {
        switch self {
        case .and, .or: true
        default: false
        }
    }
}

extension ValueExpression {
    /// The expression as it stands in a format.
    package var format: String {
        var printer = PredicatePrinter()
        printer.print(self)
        return printer.text
    }

    /// How tightly the expression's outermost operator binds.
    fileprivate var level: Int {
        switch self {
        case .chain(let level, _, _): level.rawValue
        case .unary: 12
        case .value(.int(let x)) where x < 0 && x != .min: 12
        case .value(.double(let x)) where x.sign == .minus && x.isFinite: 12
        default: 14
        }
    }
}
