import Graben
import Synchronization

/// An engine in memory that can be looked into, spoilt, and told to fail.
final class TableEngine: StoreEngine {
    struct State {
        var metadata: StoreMetadata?
        var objects: [StoreObjectKey: StoreObject] = [:]
        /// Every save it was told of, those it refused too.
        var saves: [StoreChanges] = []
        /// What `save(_:)` throws.
        var refusal: (any Error)?
        /// What `load(_:)` throws after so many objects.
        var loadFailure: (after: Int, error: any Error)?
        /// Whether `load(_:)` goes on after an object was refused.
        var isDeaf = false
        /// Objects it delivers once more.
        var doubles: [StoreObject] = []
        var closings = 0
    }

    struct Failure: Error, Equatable {
        var text = "the disk is full"
    }

    private let state = Mutex(State())
    let name = "a table"

    func set(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var saves: [StoreChanges] { state.withLock { $0.saves } }
    var objects: [StoreObjectKey: StoreObject] { state.withLock { $0.objects } }
    var storedMetadata: StoreMetadata? { state.withLock { $0.metadata } }
    var closings: Int { state.withLock { $0.closings } }

    func metadata() throws -> StoreMetadata? { storedMetadata }

    func load(_ receive: (StoreObject) throws -> Void) throws {
        let (objects, failure, isDeaf) = state.withLock { (Array($0.objects.values) + $0.doubles, $0.loadFailure, $0.isDeaf) }
        for (count, object) in objects.enumerated() {
            if let failure, failure.after == count { throw failure.error }
            if isDeaf { try? receive(object) } else { try receive(object) }
        }
    }

    func save(_ changes: StoreChanges) throws {
        try state.withLock { state in
            state.saves.append(changes)
            if let refusal = state.refusal { throw refusal }
            state.metadata = changes.metadata
            if changes.isWhole { state.objects = [:] }
            for key in changes.deleted { state.objects[key] = nil }
            for object in changes.inserted + changes.updated { state.objects[object.key] = object }
        }
    }

    func close() throws { state.withLock { $0.closings += 1 } }
}
