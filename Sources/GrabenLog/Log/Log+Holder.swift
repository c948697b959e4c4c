extension Log {
    /// Who writes the store at a path, as its side file tells it; nil when nobody holds the writer's lock.
    ///
    /// Changes nothing. Throws `noSuchFile` and `system`.
    package static func writer(ofStoreAt path: String, in system: any LogFileSystem) throws(LogError) -> String? {
        let file = try system.open(path, .readOnly)
        guard try file.isLockedElsewhere() else { return nil }
        return SideFile.read(system, log: path)?.holder ?? "another process or another handle of this one"
    }
}
