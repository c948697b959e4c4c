import Graben
import GrabenFixtures
import GrabenLog
import GrabenModel
import Testing

@Suite("Checking a store")
struct StoreCheckTests {
    private static let model = ManagedObjectModel(
        entities: [
            EntityDescription(
                "Owner",
                attributes: [AttributeDescription("name", .string), AttributeDescription("x", .double, isOptional: false, isPacked: true)],
                relationships: [
                    RelationshipDescription("only", to: "Part", inverse: "holder"),
                    RelationshipDescription("parts", to: "Part", inverse: "owner", isToMany: true, maxCount: 2),
                    RelationshipDescription("list", to: "Part", inverse: "listed", isToMany: true, isOrdered: true),
                    RelationshipDescription("friends", to: "Owner", inverse: "friends", isToMany: true),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Part",
                relationships: [
                    RelationshipDescription("holder", to: "Owner", inverse: "only"),
                    RelationshipDescription("owner", to: "Owner", inverse: "parts"),
                    RelationshipDescription("listed", to: "Owner", inverse: "list"),
                    RelationshipDescription("needed", to: "Owner", isOptional: false),
                ]),
        ])

    /// A store with an owner and two parts that agree with each other, and the codes of the entities in its file.
    private func store() throws -> (container: PersistentContainer, store: PersistentStore, owner: RecordLayout, part: RecordLayout) {
        let container = try PersistentContainer(model: Self.model, stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let owner = try context.insertObject(entity: "Owner")
        try owner.setValue("first", forKey: "name")
        for _ in 0..<2 {
            let part = try context.insertObject(entity: "Part")
            try part.setValue(.reference(owner.objectID), forKey: "owner")
            try part.setValue(.reference(owner.objectID), forKey: "listed")
            try part.setValue(.reference(owner.objectID), forKey: "needed")
        }
        try context.save()
        let store = try #require(container.coordinator.stores.first)
        let catalog = store.log.newest.catalog
        let (a, b) = (try #require(catalog.entity(named: "Owner")), try #require(catalog.entity(named: "Part")))
        return (container, store, try #require(catalog.newestLayout(of: a.code)), try #require(catalog.newestLayout(of: b.code)))
    }

    @Test("a store that was written by contexts has no findings")
    func sound() throws {
        let (container, store, _, _) = try store()
        let report = try store.check()
        #expect(report.isClean && report.findings.isEmpty && report.objectCount == 3 && report.lastCommit > 0)
        var fractions: [Double] = []
        _ = try store.check { fraction in
            fractions.append(fraction)
            return true
        }
        #expect(fractions == fractions.sorted() && fractions.allSatisfy { $0 >= 0 && $0 <= 1 })
        #expect(try store.check { _ in false }.isCancelled)
        try container.close()
    }

    /// What to write beneath the contexts, and what is found then.
    enum Wrong: String, CaseIterable, Sendable { case dangling, oneSided, listed, tooMany, missing, duplicate, linkOfNobody }

    @Test("every rule that only the model knows of is checked, and what breaks it is named", arguments: Wrong.allCases)
    func findings(_ wrong: Wrong) throws {
        let (container, store, owner, part) = try store()
        func field(_ layout: RecordLayout, _ name: String) throws -> Int { try #require(layout.fieldIndex(name)) }
        let (only, ownerField, listed, needed) = (
            try field(owner, "only"), try field(part, "owner"), try field(part, "listed"), try field(part, "needed")
        )
        let list = try #require(store.log.newest.catalog.links.first { $0.name == "Owner.list" })
        let friends = try #require(store.log.newest.catalog.links.first { $0.name == "Owner.friends" })
        func to(_ row: Row) -> StoredValue { .reference(owner.entity, row) }
        _ = try store.log.commit { (_, commit: inout CommitBuilder) in
            func putPart(_ row: Row, _ values: [Int: StoredValue]) {
                commit.appendRecord(layout: part, row: row, isInsert: row > 1) { values[$0] ?? ($0 == needed ? to(0) : .null) }
            }
            switch wrong {
            case .dangling: putPart(0, [ownerField: to(7), listed: to(0)])
            case .oneSided:
                commit.appendRecord(layout: owner, row: 0, isInsert: false) { $0 == only ? .reference(part.entity, 1) : .null }
            case .listed: putPart(0, [ownerField: to(0)])
            case .tooMany: putPart(2, [ownerField: to(0)])
            case .missing: putPart(0, [ownerField: to(0), listed: to(0), needed: .null])
            case .duplicate:
                commit.appendRecord(layout: owner, row: 1, isInsert: true) { owner.fields[$0].name == "name" ? .string("first") : .null }
            case .linkOfNobody:
                commit.appendLink(friends, owner: (owner.entity, 9), member: (owner.entity, 0), order: 0, removed: false)
            }
            _ = list
        }
        let report = try store.check()
        let (kind, entity, row, property): (StoreFinding.Kind, String, UInt32, String?) =
            switch wrong {
            case .dangling: (.reference, "Part", 0, "owner")
            case .oneSided: (.inverse, "Owner", 0, "only")
            case .listed: (.inverse, "Owner", 0, "list")
            case .tooMany: (.count, "Owner", 0, "parts")
            case .missing: (.count, "Part", 0, "needed")
            case .duplicate: (.unique, "Owner", 1, "name")
            case .linkOfNobody: (.link, "Owner", 9, "friends")
            }
        // Counts are no damage.
        #expect(report.isClean == (kind == .count))
        let found = (report.findings + report.incomplete).contains {
            $0.kind == kind && $0.entity == entity && $0.row == row && $0.property == property && !$0.message.isEmpty
        }
        #expect(found, "\(report.findings)")
        try container.close()
    }
}
