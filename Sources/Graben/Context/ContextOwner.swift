/// Who may use a context. The compiler refuses most of what is wrong (objects and contexts are not `Sendable`); debug builds find some of
/// the rest, when a context is used that somebody else holds.
enum ContextOwner {
    /// Whoever made it, or got it sent; also the main actor, whose thread changes on Linux, so that nothing says whether one is on it.
    case maker
    /// Whoever is inside `perform` or `performAndWait` of the background context with this lock.
    case background(ReentrantLock)
}

extension ManagedObjectContext {
    /// Ends a debug build that uses the context of a background context outside of its `perform`, with a message that names both sides.
    ///
    /// - Parameter object: the object that is used, where it is one.
    @inline(__always)
    func checkOwner(_ object: @autoclosure () -> ManagedObject? = nil) {
        #if DEBUG
            if case .background(let lock) = owner, !lock.isHeldByCaller, !isClosed { refuseCaller(object(), lock) }
        #endif
    }

    #if DEBUG
        @inline(never)
        private func refuseCaller(_ object: ManagedObject?, _ lock: ReentrantLock) -> Never {
            let used = object.map { "\($0.info.name) \($0.objectID.uriRepresentation)" } ?? "a context"
            let name = name.map { " \"\($0)\"" } ?? ""
            let holder = lock.holder.map { "thread \($0) is inside it" } ?? "nobody is inside it"
            fatalError(
                """
                \(used) belongs to the background context\(name) and was used outside of its perform or performAndWait, by thread \
                \(ReentrantLock.caller); \(holder). Use it inside, and send its objectID or a frozen() copy.
                """)
        }
    #endif
}
