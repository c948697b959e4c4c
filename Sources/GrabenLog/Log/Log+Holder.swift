/// What a store's side file tells of the process that writes it.
package struct LogWriterInfo: Sendable, Equatable {
    /// Its id, command and start, in words.
    package let name: String
    /// What that process still reads of earlier commits, as of its last sync.
    package let pinned: PinnedSnapshots
}

extension Log {
    /// Who writes the store at a path, as its side file tells it; nil when nobody holds the writer's lock.
    ///
    /// Changes nothing. Throws `noSuchFile` and `system`.
    package static func writer(ofStoreAt path: String, in system: any LogFileSystem) throws(LogError) -> LogWriterInfo? {
        let file = try system.open(path, .readOnly)
        guard try file.isLockedElsewhere() else { return nil }
        let pinned = SideFile.read(system, log: path)?.pinned ?? PinnedSnapshots()
        return LogWriterInfo(name: SideFile.holder(system, log: path, file), pinned: pinned)
    }
}
