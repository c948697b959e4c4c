import GrabenPredicate
import GrabenLog
import GrabenModel
public struct ObjectSortDescriptor: Sendable {
    var keyPath: String; init(text: String) throws { keyPath = text }
    func compare(_ a: Value, _ b: Value) -> Int { 0 }
}
struct BoundPredicate { func evaluate(_ o: any PredicateObject) throws(PredicateError) -> Bool { true } }
extension ObjectPredicate {
    func bind(to: any PredicateSchema, variables: [String: PredicateBinding]) throws(PredicateError) -> BoundPredicate { BoundPredicate() }
}
