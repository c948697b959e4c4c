extension LogSalvage {
    /// Reads a patch: the values that stand in good blocks.
    func readPatch(_ frame: SalvagedFrame, _ start: Int, _ end: Int) {
        var reader = ByteReader(frame.payload, from: start, to: end)
        do throws(ByteError) {
            guard let layout = table[try reader.varint32()] else { throw .invalid }
            var lanes: [Int] = []
            for _ in 0..<(try reader.count(atMost: layout.lanes.count)) {
                let lane = try reader.count(atMost: layout.lanes.count - 1)
                guard lane < layout.lanes.count else { throw .outOfRange }
                lanes.append(lane)
            }
            let rows = try RowListCoding.decode(&reader, atMost: Format.patchRowLimit)
            guard frame.isGood(start, reader.position - start) else { throw .invalid }
            var places: [(lane: Int, values: Int, validity: Int?)] = []
            for lane in lanes {
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
        var (kept, bits, valid): ([Row], [UInt64], [Bool]) = ([], [], [])
        let width = Int(layout.lanes[lane].width.rawValue)
        for index in 0..<rows.count {
            let place = values + index * width
            let flag = validity.map { $0 + index >> 3 }
            guard frame.isGood(place, width), flag.map({ frame.isGood($0, 1) }) ?? true else {
                report.add(.packed, layout.entity, rows.row(index), layout.lanes[lane].name)
                continue
            }
            kept.append(rows.row(index))
            valid.append(flag.map { frame.payload.load(fromByteOffset: $0, as: UInt8.self) >> UInt8(index & 7) & 1 != 0 } ?? true)
            bits.append(
                width == 8
                    ? UInt64(littleEndian: frame.payload.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    : UInt64(UInt32(littleEndian: frame.payload.loadUnaligned(fromByteOffset: place, as: UInt32.self))))
        }
        if !kept.isEmpty { assembler.write(lane, of: layout, rows: kept, bits: bits, valid: valid) }
    }
}
