internal import Synchronization

/// What one commit did, and the way to the commit after it.
///
/// Nodes form a chain towards the newest commit, so that whoever holds an old snapshot can learn what came since. They hold changes only:
/// a chain of snapshots would keep every chunk and page of every commit in between alive, for one object somebody still holds.
package final class CommitNode: Sendable {
    package let commitNumber: UInt64
    package let changes: ChangeSet
    private let following = Mutex<CommitNode?>(nil)

    init(commitNumber: UInt64, changes: ChangeSet) {
        self.commitNumber = commitNumber
        self.changes = changes
    }

    /// The following commit, once that is appended; it may not be durable yet.
    package var next: CommitNode? { following.withLock { $0 } }

    func setNext(_ node: CommitNode) { following.withLock { $0 = node } }

    deinit {
        // A long chain only this node holds is freed in a loop: freeing each from its predecessor's deinit would overflow the stack.
        var chain = takeNext()
        while chain != nil, isKnownUniquelyReferenced(&chain) { chain = chain?.takeNext() }
    }

    private func takeNext() -> CommitNode? {
        following.withLock { next in
            defer { next = nil }
            return next
        }
    }
}
