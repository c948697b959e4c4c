#if DEBUG
    import Dispatch
#endif

/// Who may use a context. The compiler refuses most of what is wrong (objects and contexts are not `Sendable`); debug builds find some of
/// the rest, when a context is used that somebody else holds.
enum ContextOwner {
    /// Whoever made it, or got it sent: nothing says who that is.
    case maker
    /// The main actor.
    case mainActor
    /// Whoever is inside `perform` or `performAndWait` of the background context with this lock.
    case background(ReentrantLock)
}

extension ManagedObjectContext {
    /// Ends a debug build that uses the context of a background context outside of its `perform`, or the main actor's off that, with a message that
    /// names both sides.
    ///
    /// - Parameter object: the object that is used, where it is one.
    @inline(__always)
    func checkOwner(_ object: @autoclosure () -> ManagedObject? = nil) {
        #if DEBUG
            switch owner {
            case .maker: break
            case .mainActor: if !isClosed, !isEnding { checkMainActor(object()) }
            case .background(let lock): if !lock.isHeldByCaller, !isClosed, !isEnding { refuseCaller(object(), lock) }
            }
        #endif
    }

    #if DEBUG
        @inline(never)
        private func checkMainActor(_ object: ManagedObject?) {
            if MainQueue.isCurrent { return }
            fatalError(
                """
                \(Self.name(of: object)) belongs to the main actor's context\(ownName) and was used off the main actor, by thread \(ReentrantLock.caller). \
                Use it there, and send its objectID or a frozen() copy.
                """)
        }

        private static func name(of object: ManagedObject?) -> String {
            object.map { "\($0.info.name) \($0.objectID.uriRepresentation)" } ?? "a context"
        }

        private var ownName: String { name.map { " \"\($0)\"" } ?? "" }

        @inline(never)
        private func refuseCaller(_ object: ManagedObject?, _ lock: ReentrantLock) -> Never {
            let holder = lock.holder.map { "thread \($0) is inside it" } ?? "nobody is inside it"
            fatalError(
                """
                \(Self.name(of: object)) belongs to the background context\(ownName) and was used outside of its perform or performAndWait, by thread \
                \(ReentrantLock.caller); \(holder). Use it inside, and send its objectID or a frozen() copy.
                """)
        }
    #endif
}

#if DEBUG
    /// The queue whose jobs are the main actor's. Which thread serves it changes on Linux, and what the runtime offers to ask ends the process without a word of
    /// whose the object was; a mark on the queue is there whoever serves it, and on the main thread from its beginning.
    private enum MainQueue {
        private static let mark: DispatchSpecificKey<Bool> = {
            let mark = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: mark, value: true)
            return mark
        }()

        static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }
    }
#endif
