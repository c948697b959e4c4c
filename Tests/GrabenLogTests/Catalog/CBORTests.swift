import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct CBORTests {
    private func random(_ generator: inout SplitMix64, depth: Int) -> CBOR {
        switch generator.pick(depth > 5 ? 6 : 8) {
        case 0: return .null
        case 1: return .bool(generator.chance(50))
        case 2: return .int(Int64(truncatingIfNeeded: generator.next()) >> Int64(generator.pick(64)))
        case 3: return .double(Double(bitPattern: generator.next()))
        case 4: return .string(String(repeating: "ü", count: generator.pick(200)))
        case 5: return .bytes((0..<generator.pick(300)).map { _ in 7 })
        case 6: return .array((0..<generator.pick(6)).map { _ in random(&generator, depth: depth + 1) })
        default: return .map((0..<generator.pick(6)).map { (key: "k\($0)", value: random(&generator, depth: depth + 1)) })
        }
    }

    @Test("any tree comes back as it went in, and no prefix of it is taken for a whole")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<300 {
            let tree = random(&generator, depth: 0)
            let bytes = tree.encoded()
            #expect(try CBOR.decode(bytes) == tree)
            for cut in 0..<min(bytes.count, 50) { #expect(throws: CBORError.self) { try CBOR.decode(Array(bytes.prefix(cut))) } }
            #expect(throws: CBORError.self) { try CBOR.decode(bytes + [0]) }
        }
    }

    @Test("the bytes are those of RFC 8949")
    func examples() throws {
        #expect(CBOR.int(1_000_000).encoded() == [0x1A, 0x00, 0x0F, 0x42, 0x40])
        #expect(CBOR.int(-500).encoded() == [0x39, 0x01, 0xF3])
        #expect(CBOR.double(1.1).encoded() == [0xFB, 0x3F, 0xF1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A])
        #expect((["a": 1, "b": [2, 3]] as CBOR).encoded() == [0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03])
        #expect(CBOR.int(.min).encoded() == [0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try CBOR.decode(CBOR.int(.min).encoded()) == .int(.min))
    }

    @Test("deep nesting, huge lengths and random bytes are refused, not followed")
    func hostile() throws {
        #expect(throws: CBORError.self) { try CBOR.decode([UInt8](repeating: 0x81, count: 100_000)) }
        #expect(throws: CBORError.self) { try CBOR.decode([0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(throws: CBORError.self) { try CBOR.decode([0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) }
        var generator = SplitMix64(seed: 2)
        for _ in 0..<20_000 { _ = try? CBOR.decode((0..<generator.pick(40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }) }
    }

    @Test("a catalog comes back from its tree, and one that contradicts the file is refused")
    func catalogs() throws {
        #expect(try Catalog(tree: try CBOR.decode(Drawing.catalog.tree.encoded())) == Drawing.catalog)
        var changed = Drawing.catalog
        changed.version = 2
        changed.layouts = [RecordLayout(number: 1, entity: 1, fields: [], lanes: [])]
        #expect(throws: CatalogError.self) { try changed.following(Drawing.catalog) }
        changed.layouts = [RecordLayout(number: 9, entity: 1, fields: [], lanes: [])]
        #expect(try changed.following(Drawing.catalog).layouts.map(\.number) == [1, 2, 3, 9])
        #expect(throws: CatalogError.self) { try Drawing.catalog.following(Drawing.catalog) }
        for tree in [CBOR.null, [:], ["version": 1, "entities": 3]] { #expect(throws: CatalogError.self) { try Catalog(tree: tree) } }
    }
}
