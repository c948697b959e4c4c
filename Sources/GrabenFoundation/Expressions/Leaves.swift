import Foundation
import Graben
import GrabenLog
import GrabenPredicate

extension PredicateExpressions.Variable: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .value(try translation.expression(of: key))
    }
}

extension PredicateExpressions.Value: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated { Translated(captured: value) }
}

extension PredicateExpressions.NilLiteral: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated { .value(.value(.null)) }
}

extension PredicateExpressions.KeyPath: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        // A member of a captured value is a captured value.
        if let captured = root as? PredicateExpressions.Value<Root.Output> {
            return Translated(captured: captured.value[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>])
        }
        let base = try translation.value(root)
        if let aspect { return try translated(aspect, of: base) }
        if keyPath == \Root.Output.self { return .value(base) }
        guard Root.Output.self is ManagedObject.Type else {
            throw refusal(keyPath, "it is a property of \(Root.Output.self), which is no entity's class")
        }
        // The identity of an object is the object.
        if Output.self == ObjectID.self, ManagedObject.isObjectID(keyPath) { return .value(base) }
        do throws(UnmappedKeyPath) {
            return .value(.stepped(base, try ManagedObject.propertyNames(for: keyPath).map { .key($0) }))
        } catch { throw .unmappedKeyPath(error) }
    }
}

extension PredicateExpressions.KeyPath {
    /// What is asked of a collection; nil where it is something else.
    private var aspect: CommonKeyPathKind? {
        guard let collection = Root.Output.self as? any ObjectCollection.Type else { return kind }
        if keyPath == collection.countPath { return .collectionCount }
        return keyPath == collection.isEmptyPath ? .collectionIsEmpty : nil
    }

    private func translated(_ aspect: CommonKeyPathKind, of base: ValueExpression) throws(PredicateTranslationError) -> Translated {
        let isText = Root.Output.self is any StringProtocol.Type
        switch aspect {
        case .collectionIsEmpty:
            if isText { return .predicate(.compare(base, .equal, .value(.string("")))) }
            return .predicate(.compare(base.count, .equal, .value(.int(0))))
        case .collectionCount where isText:
            throw refusal(
                keyPath,
                "Swift counts a string's characters and the language its UTF-16 units; where those will do, write length(…) as a format")
        case .collectionCount: return .value(base.count)
        case .collectionFirst: return .value(.stepped(base, [.first]))
        case .bidirectionalCollectionLast: return .value(.stepped(base, [.last]))
        @unknown default: throw refusal(keyPath, "the language has nothing like it")
        }
    }
}

/// The collections of relationships, which are no collections to Foundation.
private protocol ObjectCollection {
    static var countPath: AnyKeyPath { get }
    static var isEmptyPath: AnyKeyPath { get }
}

extension ToMany: ObjectCollection {
    fileprivate static var countPath: AnyKeyPath { \ToMany<Member>.count }
    fileprivate static var isEmptyPath: AnyKeyPath { \ToMany<Member>.isEmpty }
}

extension OrderedToMany: ObjectCollection {
    fileprivate static var countPath: AnyKeyPath { \OrderedToMany<Member>.count }
    fileprivate static var isEmptyPath: AnyKeyPath { \OrderedToMany<Member>.isEmpty }
}
