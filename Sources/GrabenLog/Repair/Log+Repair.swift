internal import FoundationEssentials

extension Log {
    /// Copies what can be read of a log, damaged or not, into a new file, which is closed cleanly; the old one stays as it is.
    ///
    /// Every object is kept as of its newest readable record, packed values by the value. References to objects that are lost are made null,
    /// links to them left out. The new store has the old one's identity, the next epoch and, as its first commit, the last one's number.
    ///
    /// - Parameters:
    ///   - mend: is handed the new log, open for writing, to make right what only a model knows of.
    ///   - progress: gets the fraction done, from 0 to 1; answering false ends the repair, and nothing is left of the new file.
    ///
    /// No writer can open the store meanwhile. Throws `alreadyExists` where there is a file at the new path, or the draft of another repair to it,
    /// `locked` while another handle writes the store, `notAStore` and
    /// `unsupportedVersion` for other files, `damaged` where no catalog can be read. O(size of the log); memory grows with the index, not with it.
    package static func repair(
        path: String, to newPath: String, in system: any LogFileSystem, progress: @escaping (Double) -> Bool = { _ in true },
        mend: (Log, inout LogRepair) throws(LogError) -> Void = { (_, _) throws(LogError) in }
    ) throws(LogError) -> LogRepair {
        let file = try openForRepair(path, in: system)
        if system.exists(newPath) { throw .alreadyExists(path: newPath) }
        // What is removed when the repair fails, and nothing that somebody left there before.
        let draft = newPath + "-repair"
        let traces = [newPath, draft] + [SideFile.path(of: newPath), IndexFile.path(of: newPath)].filter { !system.exists($0) }
        let output = try system.open(draft, .create)
        do throws(LogError) {
            // Keeps the name from now on.
            _ = try system.open(newPath, .create)
        } catch {
            try? system.remove(draft)
            throw error
        }
        func discard() { for trace in traces where system.exists(trace) { try? system.remove(trace) } }
        do throws(LogError) {
            let repair = Repair(path: path, newPath: newPath, system: system, file: file, output: output, progress: progress)
            let report = try repair.run(mend)
            if report.isCancelled { discard() }
            return report
        } catch {
            discard()
            throw error
        }
    }

    /// The file at a path, no writer of which begins as long as it is open. For that it need not be one that can be written.
    private static func openForRepair(_ path: String, in system: any LogFileSystem) throws(LogError) -> any LogFile {
        for _ in 0..<100 {
            let file = try system.open(path, .readOnly)
            guard try file.lockShared() else {
                throw .locked(path: path, holder: SideFile.holder(system, log: path, file))
            }
            // A compaction may have put another file there meanwhile.
            if file.isStillNamed() { return file }
        }
        throw .system(operation: "locking", path: path, number: Platform.tryAgain)
    }
}

/// One repair: what is read of the old file, and where it goes.
private struct Repair {
    let path: String
    let newPath: String
    let system: any LogFileSystem
    let file: any LogFile
    /// The draft of the new file.
    let output: any LogFile
    let progress: (Double) -> Bool

    func run(_ mend: (Log, inout LogRepair) throws(LogError) -> Void) throws(LogError) -> LogRepair {
        let limit = try file.size()
        let region = try file.map(offset: 0, length: max(Int(clamping: limit), Format.headerByteCount))
        let identity = try FileIdentity(file, region, limit: limit, path: path)
        let index = IndexFile.open(log: path, in: system).flatMap { index in
            // Of a log that went another way since, restored from a copy perhaps, it says nothing true.
            index.header.salt == identity.salt && isOfThisLog(index.header, region, limit, identity.salt) ? index : nil
        }
        var header = identity.header ?? FileHeader.fresh()
        if identity.header == nil, let index { (header.uuid, header.epoch) = (index.header.uuid, index.header.epoch) }
        header.salt = identity.salt
        var durable = LogScan(region.base, limit: limit, header: header).durableEnd
        if let index { durable = max(durable, index.header.durableEnd) }
        if let side = SideFile.read(system, log: path), side.salt == identity.salt { durable = max(durable, side.durableEnd) }
        let salvage = LogSalvage(
            path: path, region: region, limit: limit, header: header, durable: durable,
            places: index.map { RecordPlaces($0) } ?? RecordPlaces()
        ) { progress($0 * 0.5) }
        if let flaw = identity.flaw {
            salvage.report.notes.append(
                index == nil
                    ? "the header page is bad (\(flaw)): the store gets a new identity, so that URIs of its objects no longer lead to them"
                    : "the header page is bad (\(flaw)); the store's identity was found in its index")
        }
        guard let snapshot = try salvage.run(regions: [region]) else { return salvage.report }
        var fresh = header
        // Of a file that was compacted as often as can be numbered; 1 would promise a first commit of number 1.
        fresh.epoch = header.epoch == .max ? 2 : header.epoch + 1
        fresh.salt = Platform.random().0
        guard try write(snapshot, fresh) else {
            salvage.report.isCancelled = true
            return salvage.report
        }
        return try finish(salvage, mend)
    }

    /// Whether the frame that an index names last stands where it says, as far as it can be made out.
    private func isOfThisLog(_ index: IndexHeader, _ region: MappedRegion, _ limit: UInt64, _ salt: UInt64) -> Bool {
        guard let frame = FrameWalk.frame(region.base, at: index.lastFrame, limit: limit, salt: salt) else {
            // It is damaged itself, or cut off.
            return true
        }
        return FrameHeader.checksum(region.base + Int(frame.offset)) == index.lastFrameChecksum
    }

    /// Writes the new file under another name and reads it back; false when `progress` ended that.
    private func write(_ snapshot: LogSnapshot, _ header: FileHeader) throws(LogError) -> Bool {
        let draft = output.path
        let total = Double(max(1, snapshot.entities.reduce(0) { $0 + ($1?.liveCount ?? 0) }))
        let writer = CompactionWriter(path: draft, header: header, file: output, partLimit: 4 << 20) {
            progress(0.5 + min(Double($0) / total, 1) * 0.4)
        }
        do throws(LogError) {
            try writer.write(snapshot)
            try writer.writeMarker(commit: snapshot.commitNumber)
        } catch {
            if writer.isCancelled { return false }
            throw error
        }
        try output.sync()
        let written = try output.map(offset: 0, length: Int(clamping: writer.tail))
        let replay = try Log.replay(
            path: draft, header: header, region: written, limit: writer.tail, knownDurable: writer.tail, checkpoint: nil)
        if let damage = replay.health.damage { throw .damaged(path: draft, offset: damage.offset, reason: damage.reason) }
        try system.rename(draft, to: newPath)
        output.wasRenamed(to: newPath)
        try system.syncDirectory(of: newPath)
        return true
    }

    /// Makes right what the losses broke, in a commit of its own.
    private func finish(
        _ salvage: LogSalvage, _ mend: (Log, inout LogRepair) throws(LogError) -> Void
    ) throws(LogError) -> LogRepair {
        var report = salvage.report
        let log = try Log.open(path: newPath, in: system, options: LogOptions(createIfMissing: false, author: "repair"))
        do throws(LogError) {
            if !report.isLossless {
                try log.dropReferences(isDeleted: { salvage.deleted.contains($0) }, &report)
                try mend(log, &report)
            }
        } catch {
            try? log.close()
            throw error
        }
        try log.close()
        return report
    }
}

extension Log {
    /// Makes references to objects that do not exist null and removes links of such objects, but for those that were deleted: a delete rule may
    /// have left them as they are.
    fileprivate func dropReferences(isDeleted: (ObjectKey) -> Bool, _ report: inout LogRepair) throws(LogError) {
        var found = report
        do {
            _ = try commit { (snapshot, builder: inout CommitBuilder) throws(LogError) in
                func isLost(_ entity: EntityCode, _ row: Row) -> Bool {
                    !snapshot.contains(entity, row) && !isDeleted(ObjectKey(entity, row))
                }
                var block: RecordBlock?
                defer { withExtendedLifetime(block) {} }
                for case let state? in snapshot.entities {
                    try state.records.forEach { (row, offset) throws(LogError) -> Bool in
                        let record = try snapshot.bind(UInt64(offset), in: &block)
                        let lost = record.layout.fields.indices.filter { field in
                            record.layout.fields[field].isOptional && record.reference(field).map { isLost($0.entity, $0.row) } ?? false
                        }
                        if lost.isEmpty { return true }
                        try builder.appendCopy(of: record, settingNull: lost)
                        for field in lost {
                            found.add(.reference, state.code, Row(truncatingIfNeeded: row), record.layout.fields[field].name)
                        }
                        return true
                    }
                }
                for relationship in snapshot.catalog.links {
                    snapshot.forEachLink(relationship) { owner, member, order in
                        guard isLost(owner.entity, owner.row) || isLost(member.entity, member.row) else { return true }
                        builder.appendLink(
                            relationship, owner: (owner.entity, owner.row), member: (member.entity, member.row), order: order, removed: true
                        )
                        let end = isLost(owner.entity, owner.row) ? member : owner
                        found.add(.link, end.entity, end.row, relationship.name)
                        return true
                    }
                }
            }
        } catch {
            switch error {
            case .body(let error), .log(let error): throw error
            case .refused(let error): throw .invalid(what: "\(error)", path: path)
            }
        }
        report = found
    }
}

extension CommitBuilder {
    /// Writes an object's record again, some fields of it null. Throws `malformed` where a value cannot be decoded.
    package mutating func appendCopy(of record: RecordView, settingNull fields: [Int]) throws(LogError) {
        let layout = record.layout
        var values: [StoredValue] = []
        do throws(ByteError) {
            for field in layout.fields.indices { values.append(fields.contains(field) ? .null : try record.value(at: field)) }
        } catch {
            throw .malformed(
                what: "a record of entity \(layout.entity), row \(record.row), cannot be read: \(error.text)", path: "", offset: 0)
        }
        appendRecord(layout: layout, row: record.row, isInsert: false, changed: { fields.contains($0) }, value: { values[$0] })
    }
}
