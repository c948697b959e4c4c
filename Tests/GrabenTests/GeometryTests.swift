import GrabenLog
import Testing

@testable import Graben

@Suite("The layout of a chunk")
struct GeometryTests {
    // The graph reads chunks by an arithmetic of its own, which is inlined into programs; the log lays them out.
    @Test("the graph and the log agree on every lane, bitmap and size, for every mixture of up to six lanes")
    func agreement() {
        for count in 0...6 {
            for mixture in 0..<(1 << (2 * count)) {
                let kinds = (0..<count).map { (isDouble: (mixture >> (2 * $0)) & 1 == 1, isOptional: (mixture >> (2 * $0 + 1)) & 1 == 1) }
                let geometry = ChunkGeometry(lanes: kinds)
                let layout = RecordLayout(
                    number: 1, entity: 1, fields: [],
                    lanes: kinds.enumerated().map {
                        Lane(name: "l\($0.offset)", width: $0.element.isDouble ? .double : .float, isOptional: $0.element.isOptional)
                    })
                #expect(geometry.lanes.map(\.offset) == layout.laneOffsets)
                #expect(geometry.lanes.map(\.validityOffset) == layout.validityOffsets)
                #expect(geometry.byteCount == layout.chunkByteCount)
            }
        }
        #expect(ChunkGeometry.slotsPerChunk == slotsPerChunk)
    }
}
