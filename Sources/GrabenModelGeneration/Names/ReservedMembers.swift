/// Members of `ManagedObject` that a property of an entity cannot be called.
///
/// A test compares the list with the sources, so that a member added there cannot be forgotten here. Methods with parameters are not in
/// it: a property beside them is told from them by the compiler.
package enum ReservedMembers {
    package static let names: Set<String> = [
        "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "didSave", "didTurnIntoFault", "entity",
        "frozen", "hasChanges", "hasPersistentChangedValues", "hashValue", "isDeleted", "isFault", "isInserted", "isUpdated",
        "managedObjectContext", "objectID", "predicateLiteral", "prepareForDeletion", "touch", "validateForDelete", "validateForInsert",
        "validateForUpdate", "willSave", "willTurnIntoFault",
    ]
}
