import GrabenLog
import GrabenModel

extension PersistentStore {
    /// Reads the whole store again and verifies it: every checksum, record, value and link of the file; its index against the log; that references
    /// lead to objects, that both sides of relationships agree, and that unique keys are unique. Relationships with fewer or more members than the
    /// model asks for are listed apart.
    ///
    /// Nothing is changed, and contexts may go on; what they save meanwhile is not looked at.
    ///
    /// - Parameter progress: gets the fraction done, from 0 to 1, now and then on the calling thread; answering false ends the check, and the
    ///   report says so.
    /// - Throws: `GrabenError.store` when the store is closed or the disk fails. What is wrong with the store is in the report.
    ///
    /// Complexity: O(size of the file and objects); an index in memory is made for each unique key.
    public func check(progress: @escaping (Double) -> Bool = { _ in true }) throws(GrabenError) -> StoreReport {
        var report = StoreReport()
        do {
            let log = try log.checkReport { progress($0 / 2) }
            let catalog = newestSnapshot.catalog
            report.add(log) { code in catalog.entity(code)?.name }
        } catch { throw .store(error) }
        if !report.isCancelled { checkObjects(&report) { progress(0.5 + $0 / 2) } }
        return report
    }

    /// Verifies what only the model knows of, in the newest snapshot.
    package func checkObjects(_ report: inout StoreReport, progress: @escaping (Double) -> Bool) {
        var checker = StoreChecker(self, progress)
        checker.run(&report)
    }
}
