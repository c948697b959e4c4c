import SwiftSyntax

/// One variable on its way to a property: what the kinds have in common.
struct Reading {
    let variable: VariableDeclSyntax
    let name: String
    let type: PropertyType
    let binding: PatternBindingSyntax
    let className: String

    var value: ExprSyntax? { binding.initializer?.value }
    /// Where the type is written, or else the name.
    var place: Syntax { binding.typeAnnotation.map { Syntax($0.type) } ?? Syntax(binding.pattern) }

    // MARK: Undecorated variables

    func undecorated() throws(Problem) -> (PropertyDeclaration.Kind, isOptional: Bool) {
        switch type.shape {
        case .value: return (.attribute(try attribute(nil)), type.isOptional)
        case .toMany(let member, _):
            throw Problem(
                place,
                "\(name) leads to many objects: say which property of \(member) leads back, or write @Relationship alone where the "
                    + "other side says so, or nothing leads back",
                variable.adding("@Relationship(inverse: \\\(member).<#property#>)", "name the inverse"),
                variable.adding("@Relationship", "declare a relationship without an inverse here"))
        case .named where !PropertyType.foreign.contains(type.text):
            if type.isOptional { return (.relationship(try relationship(nil)), true) }
            throw Problem(
                place,
                "\(type.text) is no type of an attribute: write \(type.text)? where it is an entity's class, @Attribute before a Codable type, "
                    + "or @Field before what the model shall not know",
                optional("make it a to-one relationship"), variable.adding("@Attribute", "keep it as an attribute"),
                variable.adding("@Field", "keep \(name) out of the model with @Field"))
        case .vector(let scalar, let width):
            let names = ["x", "y", "z", "w"].prefix(width).map(\.quoted).joined(separator: ", ")
            throw Problem(
                place,
                "\(name) is a vector of \(width) \(scalar.rawValue)s: name its lanes by @Packed, or write @Field before what the model "
                    + "shall not know",
                variable.adding("@Packed(\(names))", "pack it as @Packed(\(names))"),
                variable.adding("@Field", "keep \(name) out of the model with @Field"))
        case .array(let element):
            throw Problem(
                place,
                "an array is no type of an attribute: write OrderedToMany<\(element)> where \(element) is an entity, @FetchedProperty before "
                    + "what a predicate finds, @Attribute before values to be kept as JSON",
                variable.adding("@Attribute", "keep it as JSON with @Attribute"),
                variable.adding("@Field", "keep \(name) out of the model with @Field"))
        case .set(let element):
            throw Problem(
                place,
                "a Set is no type of an attribute: write ToMany<\(element)> where \(element) is an entity, @Attribute before values to be "
                    + "kept as JSON",
                variable.adding("@Attribute", "keep it as JSON with @Attribute"))
        case .named, .other: throw unsupported()
        }
    }

    private func unsupported() -> Problem {
        let remedy: String =
            switch type.text {
            case "Int8", "UInt8": "Int16"
            case "UInt16": "Int32"
            case "UInt", "UInt32", "UInt64": "Int64"
            case "CGFloat", "Float80": "Double"
            case "Float16": "Float"
            case "Character", "Substring", "NSString": "String"
            case "NSDate": "Date"
            case "NSData": "Data"
            default: ""
            }
        var problem = Problem(
            place,
            "\(type.text) is no type of an attribute\(remedy.isEmpty ? "" : ": \(remedy) is"); write @Field before what the model shall "
                + "not know")
        if !remedy.isEmpty, let annotation = binding.typeAnnotation {
            let new = TypeSyntax("\(raw: remedy)\(raw: type.isOptional ? "?" : "")").with(\.trailingTrivia, annotation.type.trailingTrivia)
            problem.remedies.append(Remedy("write \(remedy)", replace: annotation.type, with: new))
        }
        problem.remedies.append(variable.adding("@Field", "keep \(name) out of the model with @Field"))
        return problem
    }

    func optional(_ title: String) -> Remedy {
        let old = binding.typeAnnotation?.type ?? TypeSyntax("Int")
        let text = type.text.contains(" ") ? "(\(type.text))?" : "\(type.text)?"
        return Remedy(title, replace: old, with: TypeSyntax("\(raw: text)").with(\.trailingTrivia, old.trailingTrivia))
    }

    func retyped(_ text: String) -> Remedy? {
        guard let old = binding.typeAnnotation?.type else { return nil }
        return Remedy("write \(text)", replace: old, with: TypeSyntax("\(raw: text)").with(\.trailingTrivia, old.trailingTrivia))
    }

    // MARK: Initial values

    /// What takes the initial value away.
    func withoutInitialValue() -> Remedy {
        var new = binding
        new.initializer = nil
        new.typeAnnotation?.type.trailingTrivia = []
        return Remedy("remove the initial value", replace: binding, with: new)
    }

    func refuseInitialValue(_ why: String) throws(Problem) {
        guard let value, !value.isNilLiteral else { return }
        throw Problem(value, "\(name) cannot begin with a value: \(why)", withoutInitialValue())
    }

    /// The initial value as a default; nil where there is none.
    func defaultValue() throws(Problem) -> ExprSyntax? {
        guard let value, !value.isNilLiteral else { return nil }
        if let objection = DefaultValue.objection(value) {
            throw Problem(
                value, "\(objection), so it cannot be the default of \(name), which every object begins with; set it in awakeFromInsert()",
                withoutInitialValue())
        }
        return value.trimmed
    }

    // MARK: Arguments

    func string(_ marker: AttributeSyntax?, _ label: String) throws(Problem) -> String? {
        guard let marker, let expression = marker.argument(label), !expression.isNilLiteral else { return nil }
        guard let text = expression.stringLiteral, !text.isEmpty else {
            throw Problem(expression, "\(label) of \(name) has to be text between quotes, without interpolation")
        }
        return text
    }

    /// Arguments that a description takes as they are, in the order the description has them.
    func options(_ marker: AttributeSyntax?, _ labels: [(String, String)]) -> [(label: String, value: String)] {
        labels.compactMap { label, target in marker?.argument(label).map { (target, $0.trimmedDescription) } }
    }

    /// The stored property named by `storage: \Joint.point.x`, as the text behind the object.
    func storage(_ marker: AttributeSyntax?) throws(Problem) -> String? {
        guard let expression = marker?.argument("storage"), !expression.isNilLiteral else { return nil }
        guard let path = expression.as(KeyPathExprSyntax.self), path.root != nil || !path.components.isEmpty else {
            throw Problem(expression, "storage of \(name) has to be a key path of the class, as in \\\(className).field")
        }
        if let text = path.text(behind: className) { return text }
        let root = path.root.map(Syntax.init) ?? Syntax(path)
        throw Problem(
            root, "\(name) is kept in \(root.trimmedDescription), but storage is a field of the object itself",
            Remedy("write \(className)", replace: root, with: TypeSyntax("\(raw: className)")))
    }
}

/// What can be the same for every object.
enum DefaultValue {
    /// Why a value cannot be a default; nil where it can.
    static func objection(_ value: ExprSyntax) -> String? {
        if value.is(IntegerLiteralExprSyntax.self) || value.is(FloatLiteralExprSyntax.self) || value.is(BooleanLiteralExprSyntax.self) {
            return nil
        }
        if let string = value.as(StringLiteralExprSyntax.self) {
            return string.representedLiteralValue == nil ? "a text with values inside is made anew for each object" : nil
        }
        if let negated = value.as(PrefixOperatorExprSyntax.self) { return objection(negated.expression) }
        if let member = value.as(MemberAccessExprSyntax.self) { return objection(member) }
        if let array = value.as(ArrayExprSyntax.self) { return array.elements.lazy.compactMap { objection($0.expression) }.first }
        if let tuple = value.as(TupleExprSyntax.self) { return tuple.elements.lazy.compactMap { objection($0.expression) }.first }
        if let sequence = value.as(SequenceExprSyntax.self) {
            return sequence.elements.lazy.compactMap { $0.is(BinaryOperatorExprSyntax.self) ? nil : objection($0) }.first
        }
        if let dictionary = value.as(DictionaryExprSyntax.self) {
            guard case .elements(let elements) = dictionary.content else { return nil }
            return elements.lazy.compactMap { objection($0.key) ?? objection($0.value) }.first
        }
        if let unwrapped = value.as(ForceUnwrapExprSyntax.self) { return objection(unwrapped.expression) }
        if let call = value.as(FunctionCallExprSyntax.self) { return objection(call) }
        if value.is(ClosureExprSyntax.self) { return "a closure is run for each object" }
        return "\(value.trimmedDescription) is computed and not written down"
    }

    private static func objection(_ member: MemberAccessExprSyntax) -> String? {
        if member.declName.baseName.text == "now" { return "the time is another for each object" }
        guard let base = member.base else { return nil }
        if let type = base.as(DeclReferenceExprSyntax.self), type.baseName.text.first?.isUppercase == true { return nil }
        if base.is(GenericSpecializationExprSyntax.self) { return nil }
        if let inner = base.as(MemberAccessExprSyntax.self) { return objection(inner) }
        return "\(member.trimmedDescription) is computed and not written down"
    }

    /// Initialisers with arguments that are written down.
    private static func objection(_ call: FunctionCallExprSyntax) -> String? {
        let callee = call.calledExpression.trimmedDescription
        let name = callee.split(separator: ".").last.map(String.init) ?? callee
        let isInitializer = name == "init" || name.split(separator: "<").first?.first?.isUppercase == true
        guard isInitializer, call.trailingClosure == nil else { return "\(call.trimmedDescription) is computed and not written down" }
        if call.arguments.isEmpty {
            if callee.hasPrefix("Date") { return "Date() is another time for each object" }
            if callee.hasPrefix("UUID") { return "UUID() is another one for each object" }
        }
        if callee.hasPrefix("Date"), call.arguments.first?.label?.text == "timeIntervalSinceNow" {
            return "the time is another for each object"
        }
        return call.arguments.lazy.compactMap { objection($0.expression) }.first
    }
}
