public import FoundationEssentials

extension PersistentContainer {
    /// Opens one store in a file for the model that classes declare; the file is created where it is missing.
    ///
    ///     let container = try PersistentContainer(for: Joint.self, Line.self, at: url)
    ///
    /// - Throws: what `ManagedObjectModel.init(of:)` and `PersistentStoreCoordinator` throw; `GrabenError.invalidRequest` where the URL is no
    ///   file's.
    public convenience init(for classes: ManagedObject.Type..., at url: URL) throws(GrabenError) {
        guard url.isFileURL else { throw .invalidRequest(reason: "opening \(url.absoluteString): a store is a file") }
        try self.init(for: classes, stores: [StoreConfiguration(.file(url.path))])
    }

    /// Opens one store in a file for the model that classes declare; the file is created where it is missing.
    ///
    /// - Throws: what `ManagedObjectModel.init(of:)` and `PersistentStoreCoordinator` throw.
    public convenience init(for classes: ManagedObject.Type..., at path: String) throws(GrabenError) {
        try self.init(for: classes, stores: [StoreConfiguration(.file(path))])
    }

    /// Opens stores for the model that classes declare: several, in memory, read-only, as the configurations say.
    ///
    /// - Throws: what `ManagedObjectModel.init(of:)` and `PersistentStoreCoordinator` throw.
    public convenience init(for classes: ManagedObject.Type..., stores: [StoreConfiguration]) throws(GrabenError) {
        try self.init(for: classes, stores: stores)
    }

    /// Opens stores for the model that classes declare, given as a list.
    ///
    /// - Throws: what `ManagedObjectModel.init(of:)` and `PersistentStoreCoordinator` throw.
    public convenience init(for classes: [ManagedObject.Type], stores: [StoreConfiguration]) throws(GrabenError) {
        let declared = try EntityClasses(classes)
        try self.init(model: declared.model, classes: declared.classes, stores: stores)
    }
}
