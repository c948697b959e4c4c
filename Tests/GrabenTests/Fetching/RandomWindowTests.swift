import Graben
import GrabenFixtures
import GrabenModel
import GrabenPredicate
import Testing

/// Windows and orders over what is saved and what is pending, compared with arrays.
@Suite("Random requests")
struct RandomWindowTests {
    /// A part as an array has it.
    private struct Row {
        let id: ObjectID
        var name: String
        var layer: String?
        var count: Int64?
        var x: Double
        var isValve: Bool
    }

    @Test(
        "S82 S86 S96 any window of any order over saved, changed and new objects is that of an array, in stores, children and grandchildren"
    )
    func windows() throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed &* 77)
            let container = try PersistentContainer(
                model: Shop.model, stores: [StoreConfiguration(.inMemory), StoreConfiguration(.inMemory)])
            let stores = container.coordinator.stores
            let root = container.newContext()
            let child = ManagedObjectContext(parent: root)
            let levels = [root, child, ManagedObjectContext(parent: child)]
            func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
            /// What the context at each level has, which is also what the levels below see until they change it.
            func rows(_ context: ManagedObjectContext) throws -> [Row] {
                try context.fetch(FetchRequest<ManagedObject>(entity: "Part")).map { part in
                    // The values that count are those of the nearest context that changed the object.
                    func value(_ key: String) throws -> Value { try part.value(forKey: key) }
                    func text(_ value: Value) -> String? { if case .string(let text) = value { text } else { nil } }
                    func number(_ value: Value) -> Int64? { if case .int(let number) = value { number } else { nil } }
                    func real(_ value: Value) -> Double { if case .double(let number) = value { number } else { -1 } }
                    return Row(
                        id: part.objectID, name: text(try value("name")) ?? "", layer: text(try value("layer")),
                        count: number(try value("count")),
                        x: real(try value("x")), isValve: part.entity.name == "Valve")
                }
            }
            func change(_ context: ManagedObjectContext) throws {
                let parts = try context.fetch(FetchRequest<ManagedObject>(entity: "Part"))
                switch below(7) {
                case 0, 1:
                    let part = try context.insertObject(entity: below(4) == 0 ? "Valve" : "Part", into: stores[below(2)])
                    try part.setValue(.string("n\(below(30))"), forKey: "name")
                    try part.setValue(.double(Double(below(10))), forKey: "x")
                case 2: if let part = parts.randomElement(using: &random) { context.delete(part) }
                case 3: try parts.randomElement(using: &random)?.setValue(below(4) == 0 ? .null : .string("l\(below(3))"), forKey: "layer")
                case 4: try parts.randomElement(using: &random)?.setValue(below(5) == 0 ? .null : .int(Int64(below(6))), forKey: "count")
                case 5: try parts.randomElement(using: &random)?.setValue(.double(Double(below(10))), forKey: "x")
                default: for part in parts where below(4) == 0 { try part.setValue(.double(Double(below(10))), forKey: "x") }
                }
            }
            for step in 0..<40 {
                let context = levels[below(3)]
                for _ in 0..<below(5) { try change(context) }
                if below(6) == 0 {
                    // What was changed here and deleted above is a conflict.
                    if thrown({ try context.save() }) != nil { context.rollback() }
                }
                // A context that changed nothing above its own changes sees what is above only after a refresh.
                for level in levels { level.refreshAllObjects() }
                let place = below(3)
                let all = try rows(levels[place])
                let limit = Int64(below(6))
                let format: String?
                let holds: (Row) -> Bool
                switch below(4) {
                case 0: (format, holds) = (nil, { _ in true })
                case 1: (format, holds) = ("count >= \(limit)", { ($0.count ?? -1) >= limit })
                case 2: (format, holds) = ("layer == nil OR x > \(limit)", { $0.layer == nil || $0.x > Double(limit) })
                default:
                    format = "layer IN {'l0', 'l2'} AND name < 'n2'"
                    holds = { row in
                        guard let layer = row.layer, ["l0", "l2"].contains(layer) else { return false }
                        return row.name < "n2"
                    }
                }
                var request = FetchRequest<ManagedObject>(entity: "Part", predicate: try format.map { try ObjectPredicate(format: $0) })
                var order: [(Row, Row) -> Int] = []
                func compare<T: Comparable>(_ a: T?, _ b: T?) -> Int {
                    guard let a else { return b == nil ? 0 : -1 }
                    guard let b else { return 1 }
                    return a == b ? 0 : a < b ? -1 : 1
                }
                for key in ["layer", "count", "x", "name"].shuffled(using: &random).prefix(below(3)) {
                    let ascending = below(2) == 0
                    request.sortDescriptors.append(ObjectSortDescriptor(key, ascending: ascending))
                    order.append { a, b in
                        let comparison =
                            switch key {
                            case "layer": compare(a.layer, b.layer)
                            case "count": compare(a.count, b.count)
                            case "x": compare(a.x, b.x)
                            default: compare(a.name, b.name)
                            }
                        return ascending ? comparison : -comparison
                    }
                }
                request.includesSubentities = below(3) != 0
                request.fetchOffset = below(3) == 0 ? below(8) : 0
                request.fetchLimit = below(2) == 0 ? below(10) : 0
                let want = all.filter { holds($0) && (request.includesSubentities || !$0.isValve) }.sorted { a, b in
                    for criterion in order {
                        let comparison = criterion(a, b)
                        if comparison != 0 { return comparison < 0 }
                    }
                    return a.id < b.id
                }.map(\.id).dropFirst(request.fetchOffset)
                let window = Array(request.fetchLimit > 0 ? want.prefix(request.fetchLimit) : want)
                let note = "seed \(seed), step \(step), level \(place): \(format ?? "all") by \(request.sortDescriptors)"
                #expect(try levels[place].fetchIDs(request) == window, "\(note)")
                #expect(try levels[place].count(for: request) == window.count, "\(note)")
            }
        }
    }
}
