import GrabenLog
import GrabenModel

extension ManagedObjectModel {
    /// What keeps a store of another model from being opened under this one; nothing where its records are mapped as they are read.
    ///
    /// - Throws: `ModelError` where either model is wrong.
    package func obstacles(toOpeningStoresOf other: ManagedObjectModel) throws(ModelError) -> [String] {
        let stored = try CatalogBuilder(try other.resolved(), previous: Catalog()).catalog
        return try CatalogBuilder(try resolved(), previous: stored).obstacles.map(\.description)
    }
}
