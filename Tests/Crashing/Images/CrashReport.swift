/// What a campaign of crashes came to.
package struct CrashReport: Sendable {
    package var images = 0
    /// Acknowledged commits that were not there after a power loss.
    package var lost = 0
    /// Images in which something else was wrong: they could not be opened, or said what no commit had said.
    package var wrong = 0
    /// What was wrong, the first few times, with how to see it again.
    package var findings: [String] = []

    // What the images were of, so that a campaign which never gets somewhere is noticed.
    /// Opened with a torn tail to be cut off.
    package var torn = 0
    /// Opened from an index file.
    package var indexed = 0
    /// Taken while a compaction, an index or a copy was being written.
    package var compacting = 0
    package var indexing = 0
    package var copying = 0
    /// Taken during the recovery of an image.
    package var recovering = 0
    /// Opened after a recovery in which a call failed.
    package var failedRecoveries = 0
    /// Images in which more than what was promised had survived.
    package var luckier = 0

    package init() {}

    package var isClean: Bool { lost == 0 && wrong == 0 }

    mutating func note(_ text: String) {
        if findings.count < 20 { findings.append(text) }
    }

    package mutating func add(_ other: CrashReport) {
        images += other.images
        lost += other.lost
        wrong += other.wrong
        for finding in other.findings { note(finding) }
        torn += other.torn
        indexed += other.indexed
        compacting += other.compacting
        indexing += other.indexing
        copying += other.copying
        recovering += other.recovering
        failedRecoveries += other.failedRecoveries
        luckier += other.luckier
    }
}
