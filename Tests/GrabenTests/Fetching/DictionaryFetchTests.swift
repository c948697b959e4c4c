import Graben
import GrabenFixtures
import GrabenModel
import GrabenPredicate
import Testing

/// Parts in layers, with prices, some of them nil: what dictionaries are made of.
enum Shop {
    static let model = ManagedObjectModel(entities: [
        EntityDescription(
            "Part",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("layer", .string), AttributeDescription("count", .int64),
                AttributeDescription("price", .double), AttributeDescription("x", .double, isOptional: false, isPacked: true),
                AttributeDescription("weight", .float), AttributeDescription("made", .date),
                AttributeDescription("mood", .string, isTransient: true),
            ],
            relationships: [
                RelationshipDescription("whole", to: "Part", inverse: "parts"),
                RelationshipDescription("parts", to: "Part", inverse: "whole", isToMany: true),
            ],
            fetchedProperties: [FetchedPropertyDescription("peers", of: "Part", predicateFormat: "layer == $FETCH_SOURCE.layer")]),
        EntityDescription("Valve", superentity: "Part", attributes: [AttributeDescription("size", .int32)]),
    ])

    static func context() throws -> ManagedObjectContext {
        try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)]).newContext()
    }

    @discardableResult
    static func add(_ context: ManagedObjectContext, _ name: String, _ values: [String: Value] = [:], entity: String = "Part") throws
        -> ManagedObject
    {
        let part = try context.insertObject(entity: entity)
        try part.setValue(.string(name), forKey: "name")
        for (key, value) in values { try part.setValue(value, forKey: key) }
        return part
    }

    /// Six parts in three layers.
    static func filled() throws -> ManagedObjectContext {
        let context = try context()
        let whole = try add(context, "a", ["layer": "low", "count": 1, "price": 1.5, "x": 1])
        for (name, layer, count, price) in [("b", "low", 2, 2.5), ("c", "high", 3, nil), ("d", "high", 4, 4.0)]
            as [(String, String, Int64, Double?)]
        {
            try add(
                context, name,
                [
                    "layer": .string(layer), "count": .int(count), "price": price.map { .double($0) } ?? .null,
                    "whole": .reference(whole.objectID),
                ])
        }
        try add(context, "e", ["count": 5, "price": 0.5])
        try add(context, "v", ["layer": "low", "count": 2, "size": 7], entity: "Valve")
        try context.save()
        return context
    }
}

@Suite("Dictionaries")
struct DictionaryFetchTests {
    private let request = FetchRequest<ManagedObject>(entity: "Part", sortDescriptors: [ObjectSortDescriptor("name")])

    private func grouped(_ columns: [FetchColumn], by keys: [FetchColumn] = []) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entity: "Part")
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = keys
        return request
    }

    @Test("S88 without columns a dictionary has every stored attribute, no relationship, no transient")
    func allAttributes() throws {
        let context = try Shop.filled()
        let rows = try context.fetchDictionaries(request)
        #expect(rows.count == 6 && rows[0].names == ["name", "layer", "count", "price", "x", "weight", "made"])
        #expect(rows[0]["name"] == "a" && rows[0]["price"] == 1.5 && rows[0]["x"] == 1.0 && rows[0]["weight"] == .null)
        #expect(rows[0].value("count") == 1 && rows[0].value("price", as: String.self) == nil && rows[0]["whole"] == nil)
    }

    @Test("S88 a to-one column has the other's id, key paths lead through to-ones, a to-many is refused in every spelling")
    func relationships() throws {
        let context = try Shop.filled()
        var request = request
        request.propertiesToFetch = ["name", "whole", "whole.name", "parts.@count", FetchColumn("count * 2", as: "double")]
        let rows = try context.fetchDictionaries(request)
        let first = try #require(try context.fetchIDs(request).first)
        #expect(rows[1].values == ["b", .reference(first), "a", 0, 4])
        #expect(rows[0]["parts.@count"] == 3 && rows[0]["whole"] == .null && rows[0]["whole.name"] == .null)
        for column in ["parts", "whole.parts", "parts.name", "parts.@unionOfObjects.name", "peers", "SELF.parts", "mood"] as [FetchColumn] {
            request.propertiesToFetch = [column]
            #expect(throws: GrabenError.self, "\(column.name)") { try context.fetchDictionaries(request) }
        }
        request.propertiesToFetch = ["nam"]
        let error = try #require(thrown { _ = try context.fetchDictionaries(request) })
        #expect("\(error)".contains("\"nam\"") && "\(error)".contains("name"))
    }

    @Test("S85 S84 dictionaries have what is saved and nothing else, aggregates included")
    func storeOnly() throws {
        let context = try Shop.filled()
        let objects = try context.fetch(request)
        try objects[0].setValue(100, forKey: "count")
        try objects[0].setValue(50.0, forKey: "x")
        context.delete(objects[1])
        try Shop.add(context, "new", ["count": 1000])
        var request = request
        request.propertiesToFetch = ["name", "count", "x"]
        let rows = try context.fetchDictionaries(request)
        #expect(rows.map { $0["name"] } == ["a", "b", "c", "d", "e", "v"] && rows[0]["count"] == 1 && rows[0]["x"] == 1.0)
        let total = try context.fetchDictionaries(grouped([FetchColumn("sum(count)", as: "total"), .count()]))
        #expect(total.map(\.values) == [[17, 6]])
        let child = ManagedObjectContext(parent: context)
        #expect(try child.fetchDictionaries(request).count == 6)
        try context.save()
        #expect(try context.fetchDictionaries(request).count == 6)
        #expect(try context.fetchDictionaries(grouped(["sum(count)"])).map(\.values) == [[1114]])
    }

    @Test("S89 an aggregate without groups makes one row, even of nothing")
    func withoutGroups() throws {
        let context = try Shop.filled()
        let columns: [FetchColumn] = [
            "sum(price)", "average(price)", "min(price)", "max(price)", "count(price)", "count(SELF)", "max(name)", "median(count)",
            "sum(count * price)", "max(count) - min(count)", FetchColumn("average(count)", as: "mean", type: .double),
        ]
        let row = try #require(try context.fetchDictionaries(grouped(columns)).first)
        #expect(row.values == [8.5, 2.125, 0.5, 4.0, 4, 6, "v", 2.5, 25.0, 4, .double(17.0 / 6)])
        #expect(row.names[0] == "sum(price)" && row.names.last == "mean")
        var none = grouped(columns)
        none.predicate = try ObjectPredicate(format: "name == 'nobody'")
        let rows = try context.fetchDictionaries(none)
        #expect(rows.count == 1 && rows[0].values == [0, .null, .null, .null, 0, 0, .null, .null, 0, .null, .null])
        none.propertiesToGroupBy = ["layer"]
        #expect(try context.fetchDictionaries(none).isEmpty)
    }

    @Test("S89 groups come in the order of their first objects, then having, order, distinct and window apply to them in turn")
    func groups() throws {
        let context = try Shop.filled()
        var request = grouped(["layer", .count(), FetchColumn("sum(count)", as: "total")], by: ["layer"])
        #expect(try context.fetchDictionaries(request).map(\.values) == [["low", 3, 5], ["high", 2, 7], [.null, 1, 5]])
        request.sortDescriptors = [ObjectSortDescriptor("total", ascending: false), ObjectSortDescriptor("layer")]
        #expect(try context.fetchDictionaries(request).map { $0["layer"] } == ["high", .null, "low"])
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(try context.fetchDictionaries(request).map { $0["layer"] } == [.null])
        (request.fetchOffset, request.fetchLimit) = (0, 0)
        for format in ["count > 1 AND layer == 'high'", "count(SELF) > 1 AND max(count) > 2", "$total > 5", "sum(count * 2) == 14"] {
            request.havingPredicate = try ObjectPredicate(format: format)
            #expect(try context.fetchDictionaries(request).map { $0["layer"] } == ["high"], "\(format)")
        }
        request.havingPredicate = nil
        request.propertiesToFetch = [FetchColumn("sum(count)", as: "total")]
        request.sortDescriptors = [ObjectSortDescriptor("total")]
        #expect(try context.fetchDictionaries(request).map(\.values) == [[5], [5], [7]])
        request.returnsDistinctResults = true
        #expect(try context.fetchDictionaries(request).map(\.values) == [[5], [7]])
        request.fetchLimit = 1
        request.fetchOffset = 1
        #expect(try context.fetchDictionaries(request).map(\.values) == [[7]])
    }

    @Test("groups can be made of key paths and of what is computed; all NaNs are one group and so are both zeros")
    func groupKeys() throws {
        let context = try Shop.filled()
        let byWhole = try context.fetchDictionaries(grouped(["whole.name", .count()], by: ["whole.name"]))
        #expect(byWhole.map(\.values) == [[.null, 3], ["a", 3]])
        let computed = FetchColumn("uppercase(layer)", as: "LAYER")
        #expect(
            try context.fetchDictionaries(grouped([computed, .count()], by: [computed])).map(\.values) == [
                ["LOW", 3], ["HIGH", 2], [.null, 1],
            ])
        for (name, price) in [("f", Double.nan), ("g", -Double.nan), ("h", 0), ("i", -0.0)] {
            try Shop.add(context, name, ["price": .double(price)])
        }
        try context.save()
        var request = grouped(["count(SELF)"], by: ["price"])
        request.predicate = try ObjectPredicate(format: "name IN {'f', 'g', 'h', 'i'}")
        #expect(try context.fetchDictionaries(request).map(\.values) == [[2], [2]])
    }

    @Test("S91 distinct counts only with columns, and looks at what they show")
    func distinct() throws {
        let context = try Shop.filled()
        var request = request
        request.returnsDistinctResults = true
        #expect(try context.fetch(request).count == 6 && context.fetchDictionaries(request).count == 6)
        request.propertiesToFetch = ["layer"]
        #expect(try context.fetchDictionaries(request).map(\.values) == [["low"], ["high"], [.null]])
        request.sortDescriptors = [ObjectSortDescriptor("layer")]
        request.fetchOffset = 1
        #expect(try context.fetchDictionaries(request).map(\.values) == [["high"], ["low"]])
        #expect(try context.fetch(request).count == 5)
        request.propertiesToFetch = [FetchColumn("count(count)", as: "n"), .distinct("count(layer)", as: "m")]
        #expect(throws: GrabenError.self) { try context.fetchDictionaries(request) }
        request.sortDescriptors = []
        request.fetchOffset = 0
        #expect(try context.fetchDictionaries(request).map(\.values) == [[6, 2]])
    }

    @Test("columns have the names and types asked for; a value that is not of the type is an error that says which")
    func types() throws {
        let context = try Shop.filled()
        var request = request
        request.propertiesToFetch = [
            FetchColumn("count", as: "n", type: .double), FetchColumn("price * 2", as: "twice", type: .int64),
            FetchColumn("x", type: .decimal),
        ]
        request.predicate = try ObjectPredicate(format: "name == 'a'")
        #expect(try context.fetchDictionaries(request).map(\.values) == [[1.0, 3, .decimal(1)]])
        request.propertiesToFetch = [FetchColumn("price", as: "whole", type: .int64)]
        guard case .wrongType("Part", "whole", _, _)? = thrown({ _ = try context.fetchDictionaries(request) }) else {
            Issue.record("1.5 became an integer")
            return
        }
    }

    @Test("requests that contradict themselves are typed errors that name the column")
    func contradictions() throws {
        let context = try Shop.filled()
        func message(_ change: (inout FetchRequest<ManagedObject>) throws -> Void) throws -> String {
            var request = grouped(["layer", .count()], by: ["layer"])
            try change(&request)
            return "\(try #require(thrown { _ = try context.fetchDictionaries(request) }))"
        }
        #expect(try message { $0.propertiesToGroupBy = [] }.contains("layer"))
        #expect(try message { $0.propertiesToFetch.append("name") }.contains("\"name\" is neither grouped by"))
        #expect(try message { $0.propertiesToFetch.append("layer") }.contains("two columns"))
        #expect(try message { $0.propertiesToGroupBy = ["max(count)"] }.contains("max(count)"))
        #expect(try message { $0.sortDescriptors = [ObjectSortDescriptor("cuont")] }.contains("did you mean \"count\""))
        #expect(try message { $0.havingPredicate = try ObjectPredicate(format: "lyaer == 1") }.contains("layer"))
        #expect(
            try message {
                ($0.propertiesToFetch, $0.propertiesToGroupBy) = (["name"], [])
                $0.havingPredicate = try ObjectPredicate(format: "name == 1")
            }.contains("havingPredicate"))
        #expect(
            try message {
                $0.propertiesToFetch = ["sum(("]; $0.propertiesToGroupBy = []
            }.contains("sum(("))
        #expect(
            try message {
                $0.propertiesToFetch = ["sum(name)"]; $0.propertiesToGroupBy = []
            }.contains("numbers"))
    }

    @Test("groups and aggregates are what plain loops over the same rows find, for random rows and columns")
    func agreement() throws {
        var random = SplitMix64(seed: 4711)
        for _ in 0..<12 {
            let context = try Shop.context()
            var rows: [(layer: String?, count: Int64?, price: Double?)] = []
            for place in 0..<Int(random.next() % 80) {
                let layer = random.next() % 4 == 0 ? nil : ["p", "q", "r"][Int(random.next() % 3)]
                let count = random.next() % 5 == 0 ? nil : Int64(random.next() % 7) - 3
                let price = random.next() % 3 == 0 ? nil : Double(random.next() % 9) / 2
                rows.append((layer, count, price))
                try Shop.add(
                    context, "n\(place)",
                    [
                        "layer": layer.map { .string($0) } ?? .null, "count": count.map { .int($0) } ?? .null,
                        "price": price.map { .double($0) } ?? .null,
                    ])
            }
            try context.save()
            let limit = Int64(random.next() % 4)
            var request = grouped(
                ["layer", .count(), "sum(count)", "min(price)", "max(price)", "count(price)", "average(count)"], by: ["layer"])
            request.havingPredicate = try ObjectPredicate(format: "count > %d", limit)
            request.sortDescriptors = [ObjectSortDescriptor("layer", ascending: false)]
            let want = Dictionary(grouping: rows, by: \.layer).filter { $0.value.count > limit }
                .sorted { ($0.key ?? "") > ($1.key ?? "") }
                .map { layer, members -> [Value] in
                    let counts = members.compactMap(\.count)
                    let prices = members.compactMap(\.price)
                    return [
                        layer.map { .string($0) } ?? .null, .int(Int64(members.count)), .int(counts.reduce(0, +)),
                        prices.min().map { .double($0) } ?? .null, prices.max().map { .double($0) } ?? .null, .int(Int64(prices.count)),
                        counts.isEmpty ? .null : .double(Double(counts.reduce(0, +)) / Double(counts.count)),
                    ]
                }
            #expect(try context.fetchDictionaries(request).map(\.values) == want)
        }
    }
}
