/// Something nobody should write, what the compiler then says, and how it is mended.
struct Misuse: Sendable {
    let name: String
    let source: String
    /// Every error, in order.
    let complaints: [String]
    /// What an editor offers: title, and the text it puts there where that is one line.
    var remedies: [String] = []
    /// The source after a remedy, which compiles.
    var mended: String?

    init(_ name: String, _ source: String, _ complaints: String..., remedies: [String] = [], mended: String? = nil) {
        self.name = name
        self.source = source
        self.complaints = complaints
        self.remedies = remedies
        self.mended = mended
    }

    /// A property in the body of an entity, with `Peer` and `Other` to lead to.
    init(_ name: String, property: String, _ complaint: String, remedies: [String] = [], mended: String? = nil) {
        func entity(_ property: String) -> String {
            """
            @Entity class Peer: ManagedObject {
                var item: Item?
                var other: Other?
            }
            @Entity class Other: ManagedObject {
                var item: Item?
                var size: Int?
            }
            @Entity final class Item: ManagedObject {
                \(property)
            }
            """
        }
        self.init(name, entity(property), complaint, remedies: remedies, mended: mended.map(entity))
    }
}
