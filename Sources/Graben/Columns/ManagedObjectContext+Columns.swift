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
