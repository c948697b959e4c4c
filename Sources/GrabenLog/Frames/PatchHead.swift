/// What stands at the beginning of a patch, behind the number of its layout: which lanes, and which rows have values in them.
struct PatchHead {
    let lanes: [Int]
    let rows: RowListCoding.Decoded

    init(_ reader: inout ByteReader, _ layout: RecordLayout) throws(ByteError) {
        var lanes: [Int] = []
        for _ in 0..<(try reader.count(atMost: layout.lanes.count)) { lanes.append(try reader.count(atMost: layout.lanes.count - 1)) }
        self.lanes = lanes
        rows = try RowListCoding.decode(&reader, atMost: Format.patchRowLimit)
    }
}
