public import Foundation
public import Graben
public import GrabenPredicate

extension ObjectSortDescriptor {
    /// Sorts as a descriptor of Foundation's does: `try ObjectSortDescriptor(SortDescriptor(\Joint.name, order: .reverse))`.
    ///
    /// Strings are sorted by Unicode scalar for `.lexical`, else as people sort (`natural`), which here knows no locale.
    /// - Throws: `PredicateTranslationError.unmappedKeyPath` where the class's `propertyKeyPaths` do not have the key path, and
    ///   `.unsupported` for a descriptor that has none.
    public init<T: ManagedObject>(_ descriptor: SortDescriptor<T>) throws(PredicateTranslationError) {
        guard let path = descriptor.keyPath else {
            throw refusal(descriptor, "it sorts by a comparison of its own and by no key path")
        }
        let comparison: Comparison
        switch descriptor.stringComparator {
        case nil, .some(.lexical): comparison = .scalar
        default: comparison = .natural
        }
        do throws(UnmappedKeyPath) {
            try self.init(path, ascending: descriptor.order == .forward, comparison: comparison)
        } catch { throw .unmappedKeyPath(error) }
    }
}

extension Fetchable {
    /// A request for the objects of the class's entity that match a predicate of Foundation's, in an order.
    ///
    ///     let request = try Joint.fetchRequest(where: #Predicate { $0.z > 700 }, sortedBy: SortDescriptor(\.name))
    ///
    /// - Throws: `PredicateTranslationError` where something of either has no counterpart.
    public static func fetchRequest(
        where predicate: Predicate<Self>, sortedBy order: SortDescriptor<Self>...
    ) throws(PredicateTranslationError) -> FetchRequest<Self> {
        var request = FetchRequest<Self>(predicate: try ObjectPredicate(predicate))
        for descriptor in order { request.sortDescriptors.append(try ObjectSortDescriptor(descriptor)) }
        return request
    }
}
