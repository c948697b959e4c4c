import FoundationEssentials
import GrabenLog
import GrabenModel

/// Reads an engine's objects into a log in memory, under the model they were saved under; what opens files then maps them to the program's.
struct EngineLoader {
    private let engine: any StoreEngine
    private let model: ResolvedModel
    private let builder: CatalogBuilder
    private var entities: [Loading?]
    private var links: [Link] = []
    private var pairs: Set<Pair> = []

    /// An entity as the log in memory has it.
    private struct Kind {
        let entity: Entity
        let code: EntityCode
        let layout: RecordLayout
        let storage: [StoredEntity.RelationshipStorage?]
    }

    /// One entity while its objects come in. Its lists grow, so nobody takes a copy of it meanwhile.
    private struct Loading {
        let kind: Kind
        var seen: Set<Row> = []
        var highest: Row?
        /// Rows and the values of their lanes, row after row, that wait for a patch.
        var rows: [Row] = []
        var packed: [Value] = []
    }

    private struct Link {
        let link: LinkRelationship
        let owner: ObjectKey
        let member: ObjectKey
        let order: Int64
    }

    private struct Pair: Hashable {
        let link: UInt16
        let owner: ObjectKey
        let member: ObjectKey
    }

    /// So many rows are in one patch.
    private static let patchLimit = 16_384

    /// A log with the engine's objects. What it finds wrong with them is an error; the engine is closed then.
    static func open(_ engine: any StoreEngine, _ configuration: StoreConfiguration, _ options: LogOptions) throws(GrabenError) -> Log {
        do { return try openLog(engine, configuration, options) } catch {
            // Why it cannot be used says more than a failure to close it would.
            try? engine.close()
            throw error
        }
    }

    private static func openLog(
        _ engine: any StoreEngine, _ configuration: StoreConfiguration, _ given: LogOptions
    ) throws(GrabenError) -> Log {
        func fail(_ reason: String) -> GrabenError { .engine(StoreEngineError(StoreEngineError(reason), .opening, engine.name)) }
        if configuration.asOf != nil { throw fail("an engine has no past to be opened as of; leave asOf out") }
        let metadata: StoreMetadata?
        do { metadata = try engine.metadata() } catch { throw .engine(StoreEngineError(error, .opening, engine.name)) }
        if metadata == nil, configuration.isReadOnly || !configuration.createsIfMissing {
            throw fail("there is no store yet; open it for writing to create it")
        }
        var options = given
        // It is written with the engine's objects first, whoever reads them.
        (options.readOnly, options.createIfMissing, options.writesIndex) = (false, true, false)
        options.storeUUID = metadata?.uuid
        let log: Log
        do { log = try Log.open(path: engine.name, in: MemoryFileSystem(), options: options) } catch { throw .store(error) }
        guard let metadata else { return log }
        let model: ResolvedModel
        let builder: CatalogBuilder
        do {
            model = try ManagedObjectModel.load(json: metadata.model).resolved()
            builder = try CatalogBuilder(model, previous: log.catalog)
        } catch { throw fail("the model it was saved under cannot be used: \(error)") }
        var loader = EngineLoader(engine, model, builder)
        try loader.load(into: log, metadata)
        try loader.verify(log, configuration)
        return log
    }

    private init(_ engine: any StoreEngine, _ model: ResolvedModel, _ builder: CatalogBuilder) {
        self.engine = engine
        self.model = model
        self.builder = builder
        entities = model.entities.map { entity in
            guard let code = builder.codes[entity.index], let layout = builder.layouts[entity.index] else { return nil }
            return Loading(kind: Kind(entity: entity, code: code, layout: layout, storage: builder.storage(of: entity)))
        }
    }

    private mutating func load(into log: Log, _ metadata: StoreMetadata) throws(GrabenError) {
        var loader = self
        defer { self = loader }
        do {
            _ = try log.commit { (_, commit: inout CommitBuilder) throws(GrabenError) in
                commit.setCatalog(loader.builder.catalog)
                // An engine that goes on after an object was refused is not believed.
                var refusal: StoreEngineError?
                do {
                    try loader.engine.load { object in
                        do throws(StoreEngineError) { try loader.receive(object, &commit) } catch {
                            refusal = refusal ?? error
                            throw error
                        }
                    }
                } catch { throw .engine(StoreEngineError(refusal ?? error, .loading, loader.engine.name)) }
                if let refusal { throw .engine(StoreEngineError(refusal, .loading, loader.engine.name)) }
                loader.finish(&commit, metadata)
            }
        } catch { throw GrabenError(error) }
    }

    // MARK: Objects

    private mutating func receive(_ object: StoreObject, _ commit: inout CommitBuilder) throws(StoreEngineError) {
        let row = object.key.number
        let index = try entity(of: object.key, object, nil)
        guard entities[index]?.seen.insert(row).inserted == true, let kind = entities[index]?.kind else {
            throw StoreEngineError("there are two objects of that number", object: object.key)
        }
        try checkKeys(object, kind.entity)
        var values: [StoredValue] = []
        for number in kind.entity.fields { values.append(try value(kind.entity.properties[number], object)) }
        commit.appendRecord(layout: kind.layout, row: row, isInsert: true) { values[$0] }
        for (key, members) in object.members { try receive(members, key, object, kind) }
        if kind.layout.lanes.isEmpty { return }
        var lanes: [Value] = []
        for number in kind.entity.lanes { lanes.append(try attribute(kind.entity.properties[number], object)) }
        entities[index]?.rows.append(row)
        entities[index]?.packed += lanes
        if (entities[index]?.rows.count ?? 0) >= Self.patchLimit { writePatch(index, &commit) }
    }

    /// The number of the entity that a key names, and the key noted as used.
    private mutating func entity(of key: StoreObjectKey, _ object: StoreObject, _ property: String?) throws(StoreEngineError) -> Int {
        guard let entity = model.entity(named: key.entity) else {
            let nearest = model.nearestEntityName(to: key.entity).map { "; did you mean \"\($0)\"?" } ?? ""
            throw StoreEngineError("the model has no entity \"\(key.entity)\"\(nearest)", object: object.key, key: property)
        }
        guard let highest = entities[entity.index].map({ $0.highest ?? 0 }) else {
            throw StoreEngineError("\(entity.name) is abstract and has no objects", object: object.key, key: property)
        }
        guard key.number <= Format.highestRow else {
            throw StoreEngineError("the number \(key.number) is beyond \(Format.highestRow)", object: object.key, key: property)
        }
        entities[entity.index]?.highest = max(highest, key.number)
        return entity.index
    }

    private func checkKeys(_ object: StoreObject, _ entity: Entity) throws(StoreEngineError) {
        func property(_ key: String, _ isRight: (Property) -> Bool, _ what: String) throws(StoreEngineError) {
            guard let property = entity.property(named: key) else {
                let nearest = entity.nearestPropertyName(to: key).map { "; did you mean \"\($0)\"?" } ?? ""
                throw StoreEngineError("\(entity.name) has no property of that name\(nearest)", object: object.key, key: key)
            }
            guard isRight(property) else { throw StoreEngineError("it is not \(what)", object: object.key, key: key) }
        }
        for key in object.attributes.keys.sorted() {
            try property(key, { $0.attribute.map { !$0.isTransient } ?? false }, "an attribute that is kept")
        }
        for key in object.references.keys.sorted() { try property(key, { $0.link?.storage == .field }, "a to-one relationship") }
        for key in object.members.keys.sorted() {
            try property(
                key, { $0.link?.storage == .linksAsOwner },
                "a to-many relationship that is kept on this side; the other side says who its members are")
        }
    }

    private mutating func value(_ property: Property, _ object: StoreObject) throws(StoreEngineError) -> StoredValue {
        guard let link = property.link else { return StoredValue(attribute: try attribute(property, object)) }
        guard let target = object.references[property.name] else { return .null }
        return .reference(try code(of: target, link, object, property.name), target.number)
    }

    private func attribute(_ property: Property, _ object: StoreObject) throws(StoreEngineError) -> Value {
        guard let attribute = property.attribute else { return .null }
        let isLane = attribute.isPacked && !attribute.isOptional
        guard let given = object.attributes[property.name] else {
            if let value = attribute.defaultValue { return value }
            return isLane ? attribute.type == .double ? .double(0) : .float(0) : .null
        }
        if given.isNull, isLane {
            throw StoreEngineError("it is packed and not optional, and has no value", object: object.key, key: property.name)
        }
        guard let value = attribute.type.normalized(given) else {
            let reason = "it takes a value of type \(attribute.type.rawValue), not \(given.summary)"
            throw StoreEngineError(reason, object: object.key, key: property.name)
        }
        return value
    }

    /// The file's number of the entity a relationship leads to.
    private mutating func code(
        of target: StoreObjectKey, _ link: Property.Link, _ object: StoreObject, _ key: String
    ) throws(StoreEngineError) -> EntityCode {
        let index = try entity(of: target, object, key)
        let destination = model.entities[link.destination]
        guard destination.concreteDescendants.contains(index), let code = entities[index]?.kind.code else {
            throw StoreEngineError(
                "it leads to a \(destination.name), and \(target.entity)/\(target.number) is none", object: object.key, key: key)
        }
        return code
    }

    private mutating func receive(
        _ members: [StoreObjectKey], _ key: String, _ object: StoreObject, _ kind: Kind
    ) throws(StoreEngineError) {
        guard let property = kind.entity.property(named: key), let relation = property.link else { return }
        let this = ObjectKey(kind.code, object.key.number)
        var order: Int64 = 0
        var known: Set<ObjectKey> = []
        for member in members {
            let other = ObjectKey(try code(of: member, relation, object, key), member.number)
            guard known.insert(other).inserted else {
                throw StoreEngineError("\(member.entity)/\(member.number) is a member twice", object: object.key, key: key)
            }
            order += property.relationship?.isOrdered == true ? LinkOrder.gap : 0
            switch kind.storage[property.number] {
            case .owner(let link): links.append(Link(link: link, owner: this, member: other, order: order))
            case .both(let link):
                // Told by both; a pair is kept once, under the lesser id.
                let isFirst = (kind.entity.index, this.row) <= (model.entity(named: member.entity)?.index ?? 0, other.row)
                let (owner, member) = isFirst ? (this, other) : (other, this)
                if pairs.insert(Pair(link: link.code, owner: owner, member: member)).inserted {
                    links.append(Link(link: link, owner: owner, member: member, order: 0))
                }
            default: break
            }
        }
    }

    // MARK: What follows the records

    private mutating func writePatch(_ index: Int, _ commit: inout CommitBuilder) {
        guard let loading = entities[index], !loading.rows.isEmpty else { return }
        let lanes = loading.kind.layout.lanes
        let places = loading.rows.indices.sorted { loading.rows[$0] < loading.rows[$1] }
        var bits: [UInt64] = []
        var valid: [Bool] = []
        for lane in lanes.indices {
            for place in places {
                let value = loading.packed[place * lanes.count + lane]
                valid.append(!value.isNull)
                switch value {
                case .double(let number): bits.append(number.bitPattern)
                case .float(let number): bits.append(UInt64(number.bitPattern))
                default: bits.append(0)
                }
            }
        }
        commit.appendPatch(
            layout: loading.kind.layout, lanes: Array(lanes.indices), rows: places.map { loading.rows[$0] }, bits: bits, valid: valid)
        entities[index]?.rows = []
        entities[index]?.packed = []
    }

    private mutating func finish(_ commit: inout CommitBuilder, _ metadata: StoreMetadata) {
        for (index, loading) in entities.enumerated() {
            guard let loading else { continue }
            writePatch(index, &commit)
            let told = metadata.highestNumbers[loading.kind.entity.name].map { min($0, Format.highestRow) }
            if let highest = [loading.highest, told].compactMap({ $0 }).max() { commit.noteRow(entity: loading.kind.code, row: highest) }
        }
        for link in links {
            commit.appendLink(
                link.link, owner: (link.owner.entity, link.owner.row), member: (link.member.entity, link.member.row), order: link.order,
                removed: false)
        }
    }

    /// Refuses references that lead nowhere though no delete rule lets them, sides of relationships that disagree, and unique keys of two objects.
    private func verify(_ log: Log, _ configuration: StoreConfiguration) throws(GrabenError) {
        let store = PersistentStore(number: 0, configuration: configuration, log: log, modelDifferences: [])
        store.bind(builder, model.entities.map { EntityInfo(entity: $0, objectClass: ManagedObject.self) })
        var report = StoreReport()
        store.checkObjects(&report) { _ in true }
        guard let first = report.findings.first else { return }
        let others = report.findingCount > 1 ? " (and \(report.findingCount - 1) more like it)" : ""
        let object = first.entity.flatMap { entity in first.row.map { StoreObjectKey(entity, $0) } }
        let error = StoreEngineError(first.message + others, object: object, key: first.property)
        throw .engine(StoreEngineError(error, .loading, engine.name))
    }
}
