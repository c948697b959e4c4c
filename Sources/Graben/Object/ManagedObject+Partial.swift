import GrabenLog

extension ManagedObject {
    /// Whether a fault answers a property without firing: one that a request named in `propertiesToFetch` (S90). A property that the class keeps in
    /// a field is not, since only firing fills the field.
    final func isPartial(_ number: Int) -> Bool {
        guard let data = keptData, data.partial.contains(number) else { return false }
        return !info.hasAccessors || info.accessors[number] == nil
    }

    /// The value of such a property: the snapshot's, or in a child context the parent's.
    final func partialValue(_ property: PropertyInfo) -> Value {
        let table = _table
        guard let stored = table.stored, let context = table.context else { return property.defaultValue }
        if let parent = context.parent { return parent.object(_row, in: parent.table(stored, info)).storedValue(property) }
        return snapshotValue(property)
    }
}
