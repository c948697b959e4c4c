import Graben
import GrabenLog
import GrabenModel

/// Verifies everything a store holds, and lists what is wrong.
enum CheckCommand {
    static func run(_ session: Session) throws {
        let path = session.invocation.store
        let progress = Progress(session)
        var report = StoreReport()
        let log = try Interruption.deferred {
            try Log.check(path: path, in: RealFileSystem()) { fraction in
                progress.show("checking the file", fraction)
                return !Interruption.isAsked
            }
        }
        try Interruption.check()
        let objects = Result { try check(path, log, &report, progress) }
        progress.end()
        if case .failure(let error) = objects {
            // A store that cannot be opened, or a model that cannot be read, is a finding; a disk that cannot be read is not.
            let failure = CLIError(error)
            guard failure.exit == .badData else { throw failure }
            // Where bad bytes took the model with them, that has been said.
            if report.isClean || (failure.code.hasPrefix("model") && report.lastCommit > 0 && !isWithoutCatalog(path)) {
                var finding = StoreFinding(.model, failure.message)
                finding.offset = failure.offset
                report.add(finding)
            }
        }
        if session.invocation.has("json") {
            try write(report, path, to: JSONWriter(session.output))
        } else {
            try write(report, path, to: session.output)
        }
        if !report.isClean { session.exit = .found }
    }

    private static func isWithoutCatalog(_ path: String) -> Bool { (try? OpenStore.log(path: path))?.catalog.version ?? 0 == 0 }

    private static func check(_ path: String, _ log: LogReport, _ report: inout StoreReport, _ progress: Progress) throws {
        // Entities have names only where the store can be opened at all.
        let opened = Result { try OpenStore.log(path: path) }
        let catalog = (try? opened.get())?.catalog
        report.add(log) { code in catalog?.entity(code)?.name }
        let store = try OpenStore(path: path, log: try opened.get())
        guard let checked = store.coordinator.stores.first else { return }
        try Interruption.deferred {
            checked.checkObjects(&report) { fraction in
                progress.show("checking objects", fraction)
                return !Interruption.isAsked
            }
        }
        try Interruption.check()
    }

    private static func write(_ report: StoreReport, _ path: String, to output: ByteOutput) throws(CLIError) {
        for finding in report.findings { try output.write(line(finding).withoutControls + "\n") }
        if report.findingCount > report.findings.count {
            try output.write("… and \(ValueText.grouped(report.findingCount - report.findings.count)) more:")
            for kind in StoreFinding.Kind.allCases {
                if let count = report.counts[kind] { try output.write(" \(kind.rawValue) \(ValueText.grouped(count))") }
            }
            try output.write("\n")
        }
        if let tail = report.tornTail {
            try output.write(
                "note: \(ValueText.grouped(tail.count)) bytes at \(tail.lowerBound) are a commit that was never finished; no damage\n")
        }
        for note in report.notes { try output.write("note: \(note.withoutControls)\n") }
        for finding in report.incomplete { try output.write("note: \(line(finding).withoutControls)\n") }
        if report.incompleteCount > report.incomplete.count {
            try output.write("note: … and \(ValueText.grouped(report.incompleteCount - report.incomplete.count)) more\n")
        }
        if report.danglingCount > 0 {
            try output.write(
                "note: \(ValueText.grouped(report.danglingCount)) references lead to deleted objects, which their delete rule allows\n")
        }
        let count = report.findingCount
        let found = count == 0 ? "nothing wrong" : count == 1 ? "1 problem" : "\(ValueText.grouped(count)) problems"
        try output.write(
            "\(path): \(found) in \(ValueText.grouped(report.lastCommit)) commits, \(ValueText.grouped(report.objectCount)) objects,"
                + " \(ValueText.grouped(report.referenceCount)) references\n")
        if count > 0 { try output.write("Try: graben repair '\(path.withoutControls)' --to NEW\n") }
    }

    /// A finding on one line: what it is, where, of which object, and what is wrong.
    private static func line(_ finding: StoreFinding) -> String {
        var places: [String] = []
        if let offset = finding.offset {
            switch finding.kind {
            case .index: places.append("byte \(offset) of the index")
            case .sideFile: places.append("byte \(offset) of the side file")
            default: places.append("byte \(offset)")
            }
        }
        if let frame = finding.frame, frame != finding.offset { places.append("frame \(frame)") }
        if let commit = finding.commit { places.append("commit \(commit)") }
        if let object = object(finding) { places.append(object) }
        if let property = finding.property { places.append(property) }
        return "\(finding.kind.rawValue): " + (places.isEmpty ? "" : places.joined(separator: ", ") + ": ") + finding.message
    }

    private static func object(_ finding: StoreFinding) -> String? {
        guard let row = finding.row else { return finding.entity }
        return finding.entity.map { "\($0)/\(row)" } ?? "row \(row)"
    }

    private static func write(_ report: StoreReport, _ path: String, to json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.field("file", path)
        try json.field("ok", report.isClean)
        try json.field("commits", report.lastCommit)
        try json.field("objects", report.objectCount)
        try json.field("references", report.referenceCount)
        try json.field("dangling", report.danglingCount)
        try json.field("tornTailBytes", report.tornTail.map { UInt64($0.count) })
        try json.field("found", report.findingCount)
        try json.key("counts")
        try json.beginObject()
        for kind in StoreFinding.Kind.allCases {
            if let count = report.counts[kind] { try json.field(kind.rawValue, count) }
        }
        try json.endObject()
        try json.key("problems")
        try json.beginArray()
        for finding in report.findings { try write(finding, json) }
        try json.endArray()
        try json.field("incompleteFound", report.incompleteCount)
        try json.key("incomplete")
        try json.beginArray()
        for finding in report.incomplete { try write(finding, json) }
        try json.endArray()
        try json.key("notes")
        try json.beginArray()
        for note in report.notes { try json.string(note) }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }

    private static func write(_ finding: StoreFinding, _ json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.field("kind", finding.kind.rawValue)
        try json.field("message", finding.message)
        try json.field("offset", finding.offset)
        try json.field("frame", finding.frame)
        try json.field("commit", finding.commit)
        try json.field("object", object(finding))
        try json.field("entity", finding.entity)
        try json.field("row", finding.row)
        try json.field("property", finding.property)
        try json.endObject()
    }
}
