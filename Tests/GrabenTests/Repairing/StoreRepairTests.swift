import Foundation
import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Repairing a store")
struct StoreRepairTests {
    private static let model = ManagedObjectModel(
        entities: [
            EntityDescription(
                "Owner", attributes: [AttributeDescription("name", .string), AttributeDescription("x", .double, isPacked: true)],
                relationships: [
                    RelationshipDescription("only", to: "Part", inverse: "holder"),
                    RelationshipDescription("parts", to: "Part", inverse: "owner", isToMany: true),
                    RelationshipDescription("list", to: "Part", inverse: "listed", isToMany: true, isOrdered: true),
                    RelationshipDescription("friends", to: "Owner", inverse: "friends", isToMany: true),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Part", attributes: [AttributeDescription("text", .string)],
                relationships: [
                    RelationshipDescription("holder", to: "Owner", inverse: "only"),
                    RelationshipDescription("owner", to: "Owner", inverse: "parts"),
                    RelationshipDescription("listed", to: "Owner", inverse: "list"),
                ]),
        ])

    /// Saves random changes, each in a commit of its own.
    private func fill(_ path: String, _ generator: inout SplitMix64) throws {
        let container = try PersistentContainer(model: Self.model, at: path)
        let context = container.newContext()
        var owners: [ManagedObject] = []
        var parts: [ManagedObject] = []
        for step in 0..<120 {
            for _ in 0...generator.pick(3) {
                let owner = owners.randomElement(using: &generator)
                let part = parts.randomElement(using: &generator)
                switch generator.pick(9) {
                case 0, 1:
                    let new = try context.insertObject(entity: "Owner")
                    try new.setValue(.string("owner \(step) \(owners.count)"), forKey: "name")
                    try new.setValue(.double(Double(step)), forKey: "x")
                    owners.append(new)
                case 2, 3:
                    let new = try context.insertObject(entity: "Part")
                    let text = (0..<generator.pick(2000)).map { _ in String(UnicodeScalar(UInt8(97 + generator.pick(26)))) }.joined()
                    try new.setValue(.string(text), forKey: "text")
                    parts.append(new)
                case 4:
                    // A name that another had before.
                    guard let owner, let other = owners.randomElement(using: &generator), owner !== other else { continue }
                    let name = try other.value(forKey: "name")
                    try other.setValue(.string("renamed \(step) \(generator.pick(1000))"), forKey: "name")
                    try context.save()
                    try owner.setValue(name, forKey: "name")
                case 5:
                    guard let owner, let part else { continue }
                    try owner.setValue(.reference(part.objectID), forKey: "only")
                case 6:
                    guard let owner, let part else { continue }
                    try part.setValue(.reference(owner.objectID), forKey: generator.chance(50) ? "owner" : "listed")
                case 7:
                    guard let owner, let other = owners.randomElement(using: &generator), owner !== other else { continue }
                    try owner.setValue(.references([other.objectID]), forKey: "friends")
                default:
                    guard let part, generator.chance(40) else { continue }
                    context.delete(part)
                    parts.removeAll { $0 === part }
                }
            }
            try context.save()
        }
        try container.close()
    }

    @Test("a store damaged anywhere is repaired into one that passes a check", arguments: 0..<6 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path("a.graben")
        try fill(path, &generator)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var lossy = 0
        for round in 0..<8 {
            var copy = bytes
            for _ in 0..<(round == 0 ? 0 : 1 + generator.pick(4)) {
                // Behind the catalog, without which there is nothing to repair.
                let place = 4096 + 6000 + generator.pick(max(bytes.count - 10_200, 1))
                for index in place..<min(place + [1, 64, 2000][generator.pick(3)], bytes.count) { copy[index] = UInt8(generator.pick(256)) }
            }
            let damaged = folder.path("damaged-\(round).graben")
            try copy.write(to: URL(fileURLWithPath: damaged))
            if round % 2 == 0 {
                try FileManager.default.copyItem(atPath: path + "-index", toPath: damaged + "-index")
            }
            let fresh = folder.path("repaired-\(round).graben")
            let repair = try PersistentStore.repair(storeAt: damaged, to: fresh)
            #expect(try Data(contentsOf: URL(fileURLWithPath: damaged)) == copy)
            #expect(round > 0 || repair.isLossless)
            if !repair.isLossless { lossy += 1 }
            #expect(repair.isLossless == (repair.losses.isEmpty && repair.commits.isEmpty && repair.lostByteCount == 0))
            let container = try PersistentContainer(selfDescribing: StoreConfiguration(.file(fresh), isReadOnly: true))
            let report = try #require(container.coordinator.stores.first).check()
            #expect(report.isClean, "\(report.findings.prefix(5)) \(repair.losses)")
            // Its indexes and relationships can be worked with.
            let context = container.newContext()
            let request = FetchRequest<ManagedObject>(entity: "Owner")
            for owner in try context.fetch(request) { _ = try owner.value(forKey: "list") }
        }
        #expect(lossy > 0)
    }

    @Test("a file in the way, and a file that is no store, are refused")
    func refusals() throws {
        var generator = SplitMix64(seed: 3)
        let folder = try TemporaryFolder()
        let path = folder.path("a.graben")
        try fill(path, &generator)
        #expect(throws: GrabenError.self) { try PersistentStore.repair(storeAt: path, to: path) }
        let other = folder.path("other")
        try Data(repeating: 9, count: 10_000).write(to: URL(fileURLWithPath: other))
        #expect(throws: GrabenError.self) { try PersistentStore.repair(storeAt: other, to: folder.path("b")) }
        #expect(!FileManager.default.fileExists(atPath: folder.path("b")))
        #expect(try PersistentStore.repair(storeAt: path, to: folder.path("c")) { _ in false }.isCancelled)
        #expect(!FileManager.default.fileExists(atPath: folder.path("c")))
    }
}
