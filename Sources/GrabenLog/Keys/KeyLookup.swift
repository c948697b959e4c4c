/// An index of keys as of one snapshot, for many look-ups of one key each. Used by one thread.
///
/// It keeps the snapshot, and so the file, for as long as it is kept.
package final class KeyLookup {
    package let snapshot: LogSnapshot
    private let index: KeyIndex
    private let declaration: KeyDeclaration
    /// Made once there have been so many look-ups that reading it, a byte for each entry of the index, is worth while.
    private var sample: FenceSample?
    private var count = 0
    private static let manyLookups = 256

    init(_ snapshot: LogSnapshot, _ index: KeyIndex, _ declaration: KeyDeclaration) {
        self.snapshot = snapshot
        self.index = index
        self.declaration = declaration
    }

    /// A row whose key is one value; nil where there is none. Complexity: O(log n).
    package func row(equalTo value: StoredValue) throws(LogError) -> Row? {
        note(1)
        if case .string(var text) = value, text.utf8.count < KeyCoding.partByteLimit, declaration.parts.count == 1 {
            // The commonest key needs no memory of its own. A longer text may share its key with others.
            let answer: Result<Row?, LogError> = text.withUTF8 { utf8 in
                withUnsafeTemporaryAllocation(byteCount: 2 * utf8.count + 3, alignment: 1) { buffer in
                    let count = KeyCoding.write(text: utf8, to: buffer)
                    return Result { () throws(LogError) in
                        try index.firstRow(equalTo: UnsafeRawBufferPointer(rebasing: buffer[..<count]), sample)
                    }
                }
            }
            return try answer.get()
        }
        return try row(equalTo: [value])
    }

    /// For each of many values a row whose key, of one part, is the value; nil where there is none. Complexity: O(m log n).
    package func rows(equalToEach values: [StoredValue]) throws(LogError) -> [Row?] {
        note(values.count)
        var rows = [Row?](repeating: nil, count: values.count)
        var batch = KeyBatch()
        for (place, value) in values.enumerated() {
            guard batch.append(value, place: place) else {
                rows[place] = try row(equalTo: [value])
                continue
            }
            if batch.isFull {
                try index.look(for: batch, sample, &rows)
                batch.removeAll()
            }
        }
        if batch.count > 0 { try index.look(for: batch, sample, &rows) }
        return rows
    }

    private func note(_ lookups: Int) {
        let before = count
        count += lookups
        if before < Self.manyLookups, count >= Self.manyLookups { sample = index.sample() }
    }

    /// A row whose key is several values, as many as the index has parts; nil where there is none. Complexity: O(log n).
    package func row(equalTo values: [StoredValue]) throws(LogError) -> Row? {
        let range = KeyRange(equalTo: values)
        if range.isExact {
            let answer: Result<Row?, LogError> = range.lower.withUnsafeBytes { key in
                Result { () throws(LogError) in try index.firstRow(equalTo: key, sample) }
            }
            return try answer.get()
        }
        // Of long texts a key has the beginning only.
        for row in try index.rows(range) {
            guard let record = try snapshot.record(declaration.entity, row) else { continue }
            var isEqual = true
            for (part, value) in zip(declaration.parts, values) {
                guard let field = record.layout.fieldIndex(part.field) else {
                    isEqual = false
                    break
                }
                do throws(ByteError) { if try record.value(at: field) != value { isEqual = false } } catch {
                    throw snapshot.undecodable("the key of row \(row)", in: record)
                }
            }
            if isEqual { return row }
        }
        return nil
    }
}

extension LogSnapshot {
    /// The index of a declaration for many look-ups; made where there is none yet, which reads all records of the entity.
    package func lookup(_ declaration: KeyDeclaration) throws(LogError) -> KeyLookup {
        KeyLookup(self, try keyIndex(declaration), declaration)
    }
}
