public import GrabenLog

/// One thing that is wrong in a model, and where.
public struct ModelProblem: Sendable, Equatable {
    /// The entity it is about; nil where it is about the model as a whole.
    public var entity: String?
    /// The entity's property it is about; nil where it is about the entity itself.
    public var property: String?
    /// What is wrong.
    public var kind: Kind

    package init(_ kind: Kind, entity: String? = nil, property: String? = nil) {
        self.kind = kind
        self.entity = entity
        self.property = property
    }

    /// What can be wrong in a model.
    public indirect enum Kind: Sendable, Equatable {
        case notAnIdentifier
        case duplicateEntity
        case duplicateProperty
        /// The name is taken by a property that the entity inherits from `entity`.
        case propertyInheritedFrom(entity: String)
        case tooManyEntities(count: Int, limit: Int)
        case missingSuperentity(String, nearest: String?)
        /// The entity is its own ancestor, by way of these entities.
        case inheritanceCycle([String])
        case inheritanceTooDeep(limit: Int)
        case missingDestination(String, nearest: String?)
        case missingInverse(String, destination: String, nearest: String?)
        case inverseIsNoRelationship(String, destination: String)
        /// The inverse leads to `leadsTo` and not to the entity that declares this relationship.
        case inverseLeadsElsewhere(String, destination: String, leadsTo: String)
        /// The inverse is declared by a super-entity of the destination, whose other objects could not be reached by this relationship.
        case inverseIsInherited(String, destination: String, declaredBy: String)
        /// The inverse names another relationship, or none, as its own inverse.
        case inverseDisagrees(String, destination: String, names: String?)
        case orderedOnBothSides(inverse: String, destination: String)
        case orderedToOne
        case countsOfToOne(minimum: Int, maximum: Int)
        case countsReversed(minimum: Int, maximum: Int)
        case negativeCount(Int)
        case packedType(AttributeType)
        case packedTransient
        case defaultOfWrongType(Value, AttributeType)
        case defaultOutOfRange(Value, minimum: Value?, maximum: Value?)
        case defaultLengthOutOfRange(Int, minimum: Int?, maximum: Int?)
        case boundOfWrongType(Value, AttributeType)
        case boundsOnUnorderedType(AttributeType)
        case boundsReversed(minimum: Value, maximum: Value)
        case lengthsOnTypeWithout(AttributeType)
        case lengthsReversed(minimum: Int, maximum: Int)
        case negativeLength(Int)
        case emptyUniqueness
        case duplicateUniquenessKey(String)
        case unknownUniquenessKey(String, nearest: String?)
        /// The key is to-many, fetched or transient, so the store has no value to compare.
        case unfitUniquenessKey(String)
        /// A uniqueness constraint names a packed attribute.
        case packedUniquenessKey(String)
        case negativeWindow(limit: Int?, offset: Int)
        case emptySortKey
        /// The predicate is no predicate; the text says where and why.
        case predicate(String)
        /// A fetched property yields objects, whatever its request says.
        case fetchedResult(FetchRequestDescription.Result)
        case negativeBatchSize(Int)
        case regularExpressionOnTypeWithout(AttributeType)
        /// The regular expression is none; the text says why.
        case regularExpression(String)
        case missingComposite(String, nearest: String?)
        /// An attribute of a composite holds JSON, and is neither packed nor anything else.
        case compositeType(AttributeType)
        /// The composite is an element of itself, by way of these composites.
        case compositeCycle([String])
        case compositeTooDeep(limit: Int)
        /// The expression of a derived attribute is none; the text says what was expected.
        case derivation(String)
        /// A derived attribute's expression names a key that does not exist.
        case unknownDerivationKey(String, entity: String, nearest: String?)
        /// A derived attribute's expression follows a key that is not what the expression needs there.
        case unfitDerivationKey(String, entity: String, wanted: String)
        case derivedTransient
        case emptyIndex
        case unknownIndexKey(String, nearest: String?)
        /// The key is to-many, fetched or transient, so the store has no value to put in order.
        case unfitIndexKey(String)
        case missingEntity(String, nearest: String?)
        case duplicateName
        /// A problem of a part of the model or entity that is no property.
        case within(Part, Kind)
    }

    /// A part of a model or entity that is no property.
    public enum Part: Sendable, Equatable {
        case index(String)
        case template(String)
        case configuration(String)
        case composite(String)
        case element(String, ofComposite: String)
    }
}

extension ModelProblem: CustomStringConvertible {
    /// The place and what is wrong there, for people.
    public var description: String {
        switch (entity, property) {
        case (nil, _): "\(kind)"
        case (let entity?, nil): "entity \(entity): \(kind)"
        case (let entity?, let property?): "\(entity).\(property): \(kind)"
        }
    }
}

extension ModelProblem.Kind: CustomStringConvertible {
    /// What is wrong, for people, without the place.
    public var description: String {
        switch self {
        case .notAnIdentifier:
            "the name is not an identifier; begin with a letter or _ and go on with letters, digits and _"
        case .duplicateEntity: "the model has another entity of this name"
        case .duplicateProperty: "the entity has another property of this name"
        case .propertyInheritedFrom(let other): "the entity inherits a property of this name from \(other)"
        case .tooManyEntities(let count, let limit): "\(count) entities, where a store holds at most \(limit)"
        case .missingSuperentity(let name, let nearest): "its super-entity \(name) does not exist" + suggestion(nearest)
        case .inheritanceTooDeep(let limit): "it stands below more than \(limit) super-entities"
        case .inheritanceCycle(let names): "it inherits from itself: \(names.joined(separator: " -> "))"
        case .missingDestination(let name, let nearest): "its destination \(name) does not exist" + suggestion(nearest)
        case .missingInverse(let name, let destination, let nearest):
            "its inverse \(destination).\(name) does not exist" + suggestion(nearest)
        case .inverseIsNoRelationship(let name, let destination): "its inverse \(destination).\(name) is not a relationship"
        case .inverseLeadsElsewhere(let name, let destination, let leadsTo):
            "its inverse \(destination).\(name) leads to \(leadsTo) instead of the entity that declares this relationship"
        case .inverseIsInherited(let name, let destination, let declaredBy):
            "its inverse \(destination).\(name) is declared by \(declaredBy); make \(declaredBy) the destination"
        case .inverseDisagrees(let name, let destination, let names):
            "its inverse \(destination).\(name) names \(names ?? "nothing") as its own inverse"
        case .orderedOnBothSides(let inverse, let destination):
            "it is ordered and so is its inverse \(destination).\(inverse); only one side of a many-to-many may be"
        case .orderedToOne: "it is ordered but leads to one object only"
        case .countsOfToOne(let minimum, let maximum):
            "it leads to one object, so that its counts cannot be \(minimum) to \(maximum)"
        case .countsReversed(let minimum, let maximum): "its least count \(minimum) is above its greatest \(maximum)"
        case .negativeCount(let count): "its count \(count) is negative"
        case .packedType(let type): "it is packed, which only double and float can be, not \(type.rawValue)"
        case .packedTransient: "it is packed, so it is kept in the store and cannot be transient"
        case .defaultOfWrongType(let value, let type): "its default \(text(value)) is no value of type \(type.rawValue)"
        case .defaultOutOfRange(let value, let minimum, let maximum):
            "its default \(text(value)) is outside \(bound(minimum.map(text))) to \(bound(maximum.map(text)))"
        case .defaultLengthOutOfRange(let length, let minimum, let maximum):
            "the length \(length) of its default is outside \(bound(minimum)) to \(bound(maximum))"
        case .boundOfWrongType(let value, let type): "its bound \(text(value)) is no number of type \(type.rawValue)"
        case .boundsOnUnorderedType(let type): "it has a minimum or maximum, which \(type.rawValue) values do not have"
        case .boundsReversed(let minimum, let maximum): "its minimum \(text(minimum)) is above its maximum \(text(maximum))"
        case .lengthsOnTypeWithout(let type): "it has a least or greatest length, which \(type.rawValue) values do not have"
        case .lengthsReversed(let minimum, let maximum): "its least length \(minimum) is above its greatest \(maximum)"
        case .negativeLength(let length): "its length \(length) is negative"
        case .emptyUniqueness: "a uniqueness constraint names no key"
        case .duplicateUniquenessKey(let key): "a uniqueness constraint names \(key) twice"
        case .unknownUniquenessKey(let key, let nearest):
            "a uniqueness constraint names \(key), which is no property" + suggestion(nearest)
        case .unfitUniquenessKey(let key):
            "a uniqueness constraint names \(key), which is neither a stored attribute nor a to-one relationship"
        case .packedUniquenessKey(let key):
            "a uniqueness constraint names \(key), which is packed: columns have no index; keep it unpacked, or unique in an attribute of its own"
        case .negativeWindow(let limit, let offset): "its limit \(bound(limit)) or offset \(offset) is negative"
        case .emptySortKey: "it is sorted by a key without a name"
        case .predicate(let text), .derivation(let text): text
        case .fetchedResult(let result): "its result is \(result.rawValue), where a fetched property yields objects"
        case .negativeBatchSize(let size): "its batch size \(size) is negative"
        case .regularExpressionOnTypeWithout(let type): "it has a regular expression, which only text can match, not \(type.rawValue)"
        case .regularExpression(let reason): "its regular expression cannot be used: \(reason)"
        case .missingComposite(let name, let nearest): "its composite \(name) does not exist" + suggestion(nearest)
        case .compositeType(let type): "it holds a composite, whose type is transformable and not \(type.rawValue)"
        case .compositeCycle(let names): "it is an element of itself: \(names.joined(separator: " -> "))"
        case .compositeTooDeep(let limit): "its elements are composites within composites over more than \(limit) levels"
        case .unknownDerivationKey(let key, let entity, let nearest):
            "it is derived from \(key), which is no property of \(entity)" + suggestion(nearest)
        case .unfitDerivationKey(let key, let entity, let wanted): "it is derived from \(entity).\(key), which is not \(wanted)"
        case .derivedTransient: "it is derived, so it is kept in the store and cannot be transient"
        case .emptyIndex: "it has no elements"
        case .unknownIndexKey(let key, let nearest): "it names \(key), which is no property" + suggestion(nearest)
        case .unfitIndexKey(let key): "it names \(key), which is neither a stored attribute nor a to-one relationship"
        case .missingEntity(let name, let nearest): "its entity \(name) does not exist" + suggestion(nearest)
        case .duplicateName: "there is another of this name"
        case .within(let part, let kind): "\(part): \(kind)"
        }
    }

    private func suggestion(_ nearest: String?) -> String { nearest.map { "; \($0) does" } ?? "" }
    /// A value as people write it.
    private func text(_ value: Value) -> String {
        switch value {
        case .string(let text), .uri(let text): text.debugDescription
        case .bool(let flag): "\(flag)"
        case .null: "null"
        default: XcodeValueText.text(of: value) ?? "\(value)"
        }
    }
    private func bound<T>(_ value: T?) -> String { value.map { "\($0)" } ?? "any" }
}

extension ModelProblem.Part: CustomStringConvertible {
    /// The part, for people.
    public var description: String {
        switch self {
        case .index(let name): "index \(name)"
        case .template(let name): "fetch request \(name)"
        case .configuration(let name): "configuration \(name)"
        case .composite(let name): "composite \(name)"
        case .element(let name, let composite): "composite \(composite).\(name)"
        }
    }
}
