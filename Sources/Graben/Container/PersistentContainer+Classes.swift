public import FoundationEssentials
public import GrabenModel

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

    // MARK: Models that were read

    /// Opens one store in a file for a model that was read, an `.xcdatamodeld` or our JSON, with the classes of its entities.
    ///
    ///     let model = try ManagedObjectModel(contentsOfXcodeModel: "Drawing.xcdatamodeld")
    ///     let container = try PersistentContainer(model: model, classes: [Joint.self, Line.self], at: url)
    ///
    /// - Parameter classes: each finds its entity by the class name in the model, or else by the entity's name; the entities left over have
    ///   `ManagedObject`.
    /// - Throws: what `PersistentStoreCoordinator` throws; `GrabenError.invalidRequest` where the URL is no file's.
    public convenience init(model: ManagedObjectModel, classes: [ManagedObject.Type], at url: URL) throws(GrabenError) {
        try self.init(model: model, classes: try ClassLookup(classes, in: model).classes, at: url)
    }

    /// Opens one store in a file for a model that was read, with the classes of its entities.
    ///
    /// - Parameter classes: each finds its entity by the class name in the model, or else by the entity's name.
    /// - Throws: what `PersistentStoreCoordinator` throws.
    public convenience init(model: ManagedObjectModel, classes: [ManagedObject.Type], at path: String) throws(GrabenError) {
        try self.init(model: model, classes: classes, stores: [StoreConfiguration(.file(path))])
    }

    /// Opens stores for a model that was read, with the classes of its entities.
    ///
    /// - Parameter classes: each finds its entity by the class name in the model, or else by the entity's name.
    /// - Throws: what `PersistentStoreCoordinator` throws.
    public convenience init(
        model: ManagedObjectModel, classes: [ManagedObject.Type], stores: [StoreConfiguration]
    ) throws(GrabenError) {
        try self.init(model: model, classes: try ClassLookup(classes, in: model).classes, stores: stores)
    }
}
