extension LogSalvage {
    /// Reads a patch: the values that stand in good blocks.
    func readPatch(_ frame: SalvagedFrame, _ start: Int, _ end: Int) {
        var reader = ByteReader(frame.payload, from: start, to: end)
        do throws(ByteError) {
            guard let layout = table[try reader.varint32()] else { throw .invalid }
            let head = try PatchHead(&reader, layout)
            let rows = head.rows
            guard frame.isGood(start, reader.position - start) else { throw .invalid }
            var places: [(lane: Int, values: Int, validity: Int?)] = []
            for lane in head.lanes {
                let validity = layout.lanes[lane].isOptional ? reader.position : nil
                if validity != nil { try reader.skip((rows.count + 7) / 8) }
                places.append((lane, reader.position, validity))
                try reader.skip(rows.count * Int(layout.lanes[lane].width.rawValue))
            }
            guard reader.isAtEnd else { throw .invalid }
            counts.moved += rows.count
            mention(layout, rows)
            if frame.isGood(start, end - start) {
                return try assembler.apply(
                    .patch, ByteReader(frame.payload, from: start, to: end), payloadOffset: frame.header.payloadOffset)
            }
            for (lane, values, validity) in places { readLane(frame, layout, lane, rows, values, validity) }
        } catch {
            flaw("packed values at byte \(frame.header.payloadOffset + UInt64(start)) cannot be read")
        }
    }

    /// Reads a chunk: the values that stand in good blocks.
    func readChunk(_ frame: SalvagedFrame, _ start: Int, _ end: Int) {
        var reader = ByteReader(frame.payload, from: start, to: end)
        do throws(ByteError) {
            guard let layout = table[try reader.varint32()], layout.chunkByteCount > 0 else { throw .invalid }
            let rows = try RowListCoding.decode(&reader, atMost: slotsPerChunk)
            guard rows.count > 0, frame.isGood(start, reader.position - start), end - reader.position >= layout.chunkByteCount else {
                throw .invalid
            }
            let body = end - layout.chunkByteCount
            counts.moved += rows.count
            // Its rows need not live: a compaction writes chunks whole.
            if frame.isGood(start, end - start) {
                return try assembler.apply(
                    .chunk, ByteReader(frame.payload, from: start, to: end), payloadOffset: frame.header.payloadOffset)
            }
            for lane in layout.lanes.indices {
                readLane(frame, layout, lane, rows, body + layout.laneOffsets[lane], layout.validityOffsets[lane].map { body + $0 })
            }
        } catch {
            flaw("a chunk of packed values at byte \(frame.header.payloadOffset + UInt64(start)) cannot be read")
        }
    }

    private func mention(_ layout: RecordLayout, _ rows: RowListCoding.Decoded) {
        for index in 0..<rows.count { mentioned.insert(ObjectKey(layout.entity, rows.row(index))) }
    }

    /// Keeps the values of a lane whose bytes, and whose bits of validity, are good.
    private func readLane(
        _ frame: SalvagedFrame, _ layout: RecordLayout, _ lane: Int, _ rows: RowListCoding.Decoded, _ values: Int, _ validity: Int?
    ) {
        // As a patch of this one lane would have them.
        var (kept, bytes): ([Row], [UInt8]) = ([], [])
        var validBits = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
        let width = Int(layout.lanes[lane].width.rawValue)
        for index in 0..<rows.count {
            let place = values + index * width
            let flag = validity.map { $0 + index >> 3 }
            guard frame.isGood(place, width), flag.map({ frame.isGood($0, 1) }) ?? true else {
                report.add(.packed, layout.entity, rows.row(index), layout.lanes[lane].name)
                continue
            }
            if flag.map({ frame.payload.load(fromByteOffset: $0, as: UInt8.self) >> UInt8(index & 7) & 1 != 0 }) ?? true {
                validBits[kept.count >> 3] |= 1 << UInt8(kept.count & 7)
            }
            kept.append(rows.row(index))
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: frame.payload + place, count: width))
        }
        bytes.withUnsafeBytes { values in
            validBits.withUnsafeBytes { valid in
                guard let base = values.baseAddress, !kept.isEmpty else { return }
                let source = PatchLane(
                    name: layout.lanes[lane].name, width: layout.lanes[lane].width, values: base,
                    validity: validity == nil ? nil : valid.baseAddress)
                assembler.write([source], .listed(kept), layout)
            }
        }
    }
}
