public import GrabenLog

extension ManagedObjectContext {
    /// Lends the columns of a class's entity, sub-entities included.
    ///
    /// - Throws: `GrabenError.unknownEntity`, and what `body` throws.
    public func withColumns<T: ManagedObject, R>(of type: T.Type, _ body: (Columns) throws -> R) throws -> R {
        try body(columns(try coordinator.info(of: type)))
    }

    /// Lends the columns of an entity by name, sub-entities included.
    ///
    /// - Throws: `GrabenError.unknownEntity`, and what `body` throws.
    public func withColumns<R>(ofEntity name: String, _ body: (Columns) throws -> R) throws -> R {
        try body(columns(try coordinator.info(named: name)))
    }

    private func columns(_ info: EntityInfo) -> Columns {
        let tables = coordinator.stores.flatMap { store in
            info.entity.concreteDescendants.compactMap { index in
                store.stored(entity: index).map { table($0, coordinator.infos[index]) }
            }
        }
        return Columns(tables: tables, names: info.laneProperties.map { info.properties[$0].name })
    }

    // MARK: Gathering

    /// The first three packed attributes of objects, as points; no object is realised. Complexity: O(objects).
    public func positions(of objects: some Sequence<ManagedObject>) -> [SIMD3<Double>] {
        objects.map { object in
            guard !object.has(ObjectFlag.slow), object.info.geometry.hasPoint else { return object.slowPoint }
            return object.packed3(0)
        }
    }

    /// The first three packed attributes of objects by id, as points; no object is made. Zeros where an id has none, or the entity's first
    /// three packed attributes are not Doubles. Complexity: O(ids).
    public func positions(of ids: [ObjectID]) -> [SIMD3<Double>] {
        var points = [SIMD3<Double>](repeating: .zero, count: ids.count)
        // Ids mostly come in long runs of one entity.
        var start = 0
        while start < ids.count {
            let first = ids[start]
            var end = start + 1
            while end < ids.count, ids[end].storeNumber == first.storeNumber, ids[end].entityNumber == first.entityNumber { end += 1 }
            if let table = table(for: first), table.info.geometry.hasPoint { table.gather(ids[start..<end], into: &points) }
            start = end
        }
        return points
    }

    // MARK: Moving

    /// Adds `delta` to the first three packed attributes of objects: one undo step together with the rest of the event, one notification,
    /// one column patch at save. Fields of the objects' own classes and observers follow.
    ///
    /// Complexity: O(objects).
    public func translate(_ objects: some Sequence<ManagedObject>, by delta: SIMD3<Double>) {
        for object in objects {
            guard object.context === self else {
                refuse(.noContext(entity: object.info.name, doing: "moving"))
                continue
            }
            move(object._row, by: delta, in: object._table)
        }
    }

    /// As `translate(_:by:)` for objects by id, which need not be known to the context; no object is made.
    public func translate(_ ids: [ObjectID], by delta: SIMD3<Double>) {
        guard !isClosed else { return refuse(.noContext(entity: "context", doing: "moving")) }
        for id in ids {
            guard let table = table(for: id) else { continue }
            move(id.row, by: delta, in: table)
        }
    }

    private func move(_ row: Row, by delta: SIMD3<Double>, in table: ObjectTable) {
        guard table.info.geometry.hasPoint else {
            return refuse(
                .wrongType(
                    entity: table.info.name, key: "position", expected: "three packed Double attributes first", found: "another layout"))
        }
        let (entry, slot) = table.place(of: row)
        let chunk = UnsafeRawPointer(entry.pointee)
        let geometry = table.info.geometry
        var values = geometry.lanes.indices.map { geometry.value(chunk, $0, slot) }
        for lane in 0..<3 {
            if case .double(let value) = values[lane] { values[lane] = .double(value + delta[lane]) }
        }
        setPacked(values, chunk: table.chunkIndex(of: row), slot: slot, in: table)
    }
}

extension ChunkGeometry {
    /// Whether the first three lanes are Doubles.
    var hasPoint: Bool { lanes.count >= 3 && lanes[0].isDouble && lanes[1].isDouble && lanes[2].isDouble }
}

extension ManagedObject {
    fileprivate final var slowPoint: SIMD3<Double> {
        func lane(_ lane: Int) -> Double {
            if case .double(let value) = packedValue(lane) { return value }
            return 0
        }
        return info.laneProperties.count >= 3 ? SIMD3(lane(0), lane(1), lane(2)) : .zero
    }
}
