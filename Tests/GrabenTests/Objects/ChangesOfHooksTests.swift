import Graben
import Testing

// A hook that ran while a save, a merge or a rollback was half done set values of other objects that were then taken for saved ones, or taken back with the rest,
// or had a value to undo to that was gone already. A class whose `willTurnIntoFault()` unselects or renames a neighbour would have met it at the first saved deletion.
@Suite("What hooks change")
struct ChangesOfHooksTests {
    /// An object whose hooks do what a test wants.
    final class Mark: ManagedObject {
        /// Run by every hook, with its name.
        var onHook: ((String) -> Void)?

        override class var packedAttributes: [String]? { ["x"] }
        var friend: Mark? {
            get { toOne("friend") }
            set { setToOne("friend", newValue) }
        }
        var friends: ToMany<Mark> { toMany("friends") }

        func setValueQuietly(_ value: Double, of key: String) {
            do { try setValue(.double(value), forKey: key) } catch { Issue.record("\(error)") }
        }

        override func awakeFromFetch() { onHook?("awakeFromFetch") }
        override func awake(fromSnapshotEvents events: SnapshotEvents) { onHook?("awake") }
        override func prepareForDeletion() { onHook?("prepareForDeletion") }
        override func willSave() { onHook?("willSave") }
        override func didSave() { onHook?("didSave") }
        override func willTurnIntoFault() { onHook?("willTurnIntoFault") }
        override func didTurnIntoFault() { onHook?("didTurnIntoFault") }
        override func validateForInsert() throws {
            onHook?("validate")
            try super.validateForInsert()
        }
        override func validateForUpdate() throws {
            onHook?("validate")
            try super.validateForUpdate()
        }
        override func validateForDelete() throws {
            onHook?("validate")
            try super.validateForDelete()
        }

        static let model = ManagedObjectModel(entities: [
            EntityDescription(
                "Mark",
                attributes: [
                    AttributeDescription("x", .double, isOptional: false, isPacked: true), AttributeDescription("name", .string),
                    AttributeDescription("note", .string),
                ],
                relationships: [
                    RelationshipDescription("friend", to: "Mark", inverse: "friends"),
                    RelationshipDescription("friends", to: "Mark", inverse: "friend", isToMany: true),
                ])
        ])
    }

    /// What a context does, during which hooks of the subject run.
    enum Operation: String, CaseIterable, Sendable {
        case save, saveInsert, saveDelete, saveBehind, saveDeleteBehind, merge, mergeDeletion, mergeByHand
        case refresh, refreshToFault, refreshAll, refreshAllToFaults, rollback, rollbackInsert, rollbackDelete, discard, discardInsert
        case undo, undoInsert, undoDelete, redo, delete, fire, sweep, storeTrump

        /// What is done to the subject before.
        var subject: Subject {
            switch self {
            case .saveInsert, .rollbackInsert, .discardInsert, .undoInsert: .new
            case .saveDelete, .saveDeleteBehind, .rollbackDelete, .undoDelete: .deleted
            case .save, .rollback, .refreshAll, .discard, .undo, .redo, .storeTrump: .changed
            case .mergeDeletion, .fire: .fault
            case .saveBehind, .merge, .mergeByHand, .refresh, .refreshToFault, .refreshAllToFaults, .delete, .sweep: .clean
            }
        }
        var hooks: [String] {
            switch self {
            case .save, .saveInsert: ["willSave", "validate", "didSave"]
            case .saveDelete: ["willSave", "validate", "willTurnIntoFault", "didTurnIntoFault", "didSave"]
            case .saveDeleteBehind, .rollbackInsert, .discardInsert, .undoInsert, .refreshToFault, .refreshAllToFaults, .sweep:
                ["willTurnIntoFault", "didTurnIntoFault"]
            case .mergeDeletion, .fire: ["awakeFromFetch"]
            case .delete: ["prepareForDeletion"]
            default: ["awake"]
            }
        }
        /// Whether another context has saved before.
        var isBehind: Bool { [.saveBehind, .saveDeleteBehind, .merge, .mergeDeletion, .mergeByHand, .storeTrump].contains(self) }
        var takesBack: Bool { [.rollback, .rollbackInsert, .rollbackDelete].contains(self) }
        var saves: Bool { [.save, .saveInsert, .saveDelete, .saveBehind, .saveDeleteBehind, .storeTrump].contains(self) }
        /// Child contexts learn of others' saves by refreshing.
        var isForChildren: Bool { ![.saveBehind, .saveDeleteBehind, .merge, .mergeDeletion, .mergeByHand, .storeTrump].contains(self) }
    }
    enum Subject { case new, deleted, changed, fault, clean }

    private static let targets = [
        "first", "changedFirst", "othersFirst", "faultFirst", "last", "changedLast", "othersLast", "faultLast", "new",
    ]

    @Test(
        "what a hook sets in another object is there afterwards, seen by observers, taken back by undo and saved",
        arguments: Operation.allCases)
    func others(operation: Operation) throws {
        for isChild in operation.isForChildren ? [false, true] : [false] {
            for hook in operation.hooks {
                for target in Self.targets where target != "new" || !operation.takesBack {
                    let what = "\(operation), \(hook), \(target), \(isChild ? "child" : "root")"
                    try Scene(operation, isChild: isChild).play(hook: hook, targets: [target], what)
                }
                let all = Self.targets.filter { $0 != "new" || !operation.takesBack }
                try Scene(operation, isChild: isChild).play(
                    hook: hook, targets: all, "\(operation), \(hook), all, \(isChild ? "child" : "root")")
            }
        }
    }

    /// A context with an object of each kind, one before and one after the subject.
    private final class Scene {
        let operation: Operation
        let container: PersistentContainer
        let root: ManagedObjectContext
        let context: ManagedObjectContext
        var marks: [String: Mark] = [:]
        /// What each has when the operation is done, but for hooks.
        var settled: [String: [String: Value]] = [:]
        var subject: Mark?
        private var theirs: ContextSave?
        private var spare: ObjectID?

        init(_ operation: Operation, isChild: Bool) throws {
            self.operation = operation
            container = try PersistentContainer(model: Mark.model, classes: ["Mark": Mark.self], stores: [StoreConfiguration(.inMemory)])
            root = container.newContext()
            let names = ["first", "changedFirst", "othersFirst", "faultFirst", "subject", "last", "changedLast", "othersLast", "faultLast"]
            var ids: [(String, ObjectID)] = []
            for name in names {
                let mark = Mark(context: root)
                try mark.setValue(.double(1), forKey: "x")
                try mark.setValue(.string("1"), forKey: "name")
                settled[name] = ["x": .double(1), "name": .string("1")]
                ids.append((name, mark.objectID))
            }
            spare = Mark(context: root).objectID
            try root.save()
            root.reset()
            context = isChild ? ManagedObjectContext(parent: root) : root
            for (name, id) in ids where name != "subject" || operation.subject != .new { marks[name] = context.object(with: id) as? Mark }
            for (name, mark) in marks where !name.hasPrefix("fault") && (name != "subject" || operation.subject != .fault) {
                _ = try mark.value(forKey: "name")
            }
            context.undoManager = ObjectUndoManager()
            for (name, mark) in marks.sorted(by: { $0.key < $1.key }) where name.hasPrefix("changed") {
                try mark.setValue(.double(2), forKey: "x")
                try mark.setValue(.string("2"), forKey: "name")
                if !operation.takesBack { settled[name] = ["x": .double(2), "name": .string("2")] }
            }
            if operation.subject == .new { marks["subject"] = Mark(context: context) }
            subject = marks.removeValue(forKey: "subject")
            if operation.subject == .changed { try subject?.setValue(.string("mine"), forKey: "note") }
            let new = Mark(context: context)
            (marks["new"], settled["new"]) = (new, ["x": .double(0), "name": .null])
            if operation == .saveBehind { try subject?.setValue(.double(9), forKey: "x") }
            context.processPendingChanges()
            if let subject {
                switch operation {
                case .undoInsert, .undo, .undoDelete, .redo:
                    context.undoManager?.removeAllActions()
                    if operation == .undoInsert { self.subject = Mark(context: context) }
                    if operation == .undo || operation == .redo { try subject.setValue(.string("later"), forKey: "note") }
                    if operation == .undoDelete { context.delete(subject) }
                    if operation == .redo { context.undo() }
                default: if operation.subject == .deleted { context.delete(subject) }
                }
            }
            context.processPendingChanges()
            guard operation.isBehind else { return }
            let other = container.newContext()
            for (name, id) in ids {
                guard let mark = other.object(with: id) as? Mark else { continue }
                if name.hasPrefix("others") {
                    try mark.setValue(.double(3), forKey: "x")
                    try mark.setValue(.string("3"), forKey: "name")
                    settled[name] = ["x": .double(3), "name": .string("3")]
                }
                if name == "subject", operation == .mergeDeletion { other.delete(mark) }
                if name == "subject", operation != .mergeDeletion, operation.subject != .deleted {
                    try mark.setValue(.string("theirs"), forKey: operation == .storeTrump ? "note" : "name")
                }
            }
            let token = other.onDidSave { [unowned self] in theirs = $0 }
            try other.save()
            token.cancel()
            context.automaticallyMergesChangesFromParent = operation != .mergeByHand
        }

        func perform() throws {
            guard let subject else {
                // Nobody holds it. Something has to have come before it is worth while to look for such objects.
                if let spare { _ = context.object(with: spare) }
                return context.processPendingChanges()
            }
            switch operation {
            case .save, .saveInsert, .saveDelete, .saveBehind, .saveDeleteBehind: try context.save()
            case .storeTrump:
                context.mergePolicy = .storeTrump
                try context.save()
            case .merge, .mergeDeletion: _ = try context.count(for: FetchRequest<Mark>(entity: "Mark"))
            case .mergeByHand: if let theirs { context.mergeChanges(from: theirs) }
            case .refresh: context.refresh(subject, mergeChanges: true)
            case .refreshToFault: context.refresh(subject, mergeChanges: false)
            case .refreshAll, .refreshAllToFaults: context.refreshAllObjects()
            case .rollback, .rollbackInsert, .rollbackDelete: context.rollback()
            case .discard, .discardInsert: context.discardChanges(of: subject)
            case .undo, .undoInsert, .undoDelete: context.undo()
            case .redo: context.redo()
            case .delete: context.delete(subject)
            case .fire: _ = try subject.value(forKey: "name")
            case .sweep: break
            }
        }

        private static let keys = ["x", "name", "friend"]

        /// What a hook sets.
        private func new(_ name: String, _ key: String) throws -> Value {
            switch key {
            case "x": .double(7)
            case "name": .string("7")
            default: .reference(try #require(marks[name == "first" ? "last" : "first"]).objectID)
            }
        }

        private func values(_ name: String) throws -> [Value] { try Self.keys.map { try marks[name]?.value(forKey: $0) ?? .null } }

        func play(hook: String, targets: [String], _ what: String) throws {
            var found: [String: [Value]] = [:]
            var seen: [String: [Value]] = [:]
            func act(_ called: String) {
                guard called == hook, found.isEmpty else { return }
                do {
                    for name in targets { found[name] = try values(name) }
                    for name in targets { for key in Self.keys { try marks[name]?.setValue(new(name, key), forKey: key) } }
                } catch { Issue.record("\(what): \(error)") }
            }
            for name in targets {
                guard let mark = marks[name], !mark.isFault else { continue }
                for key in Self.keys { try mark.observe(key) { seen[name + key, default: []].append($0.new) } }
            }
            subject?.onHook = act
            if operation == .sweep { subject = nil }
            try perform()
            for name in targets {
                let old = Self.keys.map { settled[name]?[$0] ?? .null }
                let new = try Self.keys.map { try self.new(name, $0) }
                #expect(found[name] == old, "\(what): the hook found another value of \(name)")
                #expect(try values(name) == new, "\(what): the value of \(name) is lost")
                // Observers are dropped with what a fault had.
                if operation != .refreshAllToFaults, !name.hasPrefix("fault") {
                    #expect(Self.keys.map { seen[name + $0]?.last ?? .null } == new, "\(what): observers saw \(seen)")
                }
                let friend = marks[name == "first" ? "last" : "first"]
                #expect(try friend?.friends.ids.contains(#require(marks[name]).objectID) == true, "\(what): the other side of \(name)")
            }
            subject?.onHook = nil
            context.processPendingChanges()
            let olds = targets.map { name in Self.keys.map { settled[name]?[$0] ?? .null } }
            let news = try targets.map { name in try Self.keys.map { try new(name, $0) } }
            if operation != .discard, operation != .discardInsert, operation != .storeTrump {
                let isInverse = [.undo, .undoInsert, .undoDelete].contains(operation)
                if isInverse { context.redo() } else { context.undo() }
                if !isInverse, try targets.map(values) == news { context.undo() }
                #expect(try targets.map(values) == olds, "\(what): undo puts back other values")
                if isInverse { context.undo() } else { context.redo() }
                if !isInverse, try targets.map(values) != news { context.redo() }
                #expect(try targets.map(values) == news, "\(what): it is not done again")
            }
            try context.save()
            if context !== root { try root.save() }
            #expect(!context.hasChanges, "\(what): there are changes after the save")
            let reader = container.newContext()
            for (name, new) in zip(targets, news) {
                let stored = try reader.existingObject(with: #require(marks[name]).objectID)
                #expect(try Self.keys.map { try stored.value(forKey: $0) } == new, "\(what): \(name) was not saved")
            }
        }
    }

    @Test(
        "what a hook sets in its own object is a change like any other; of an object that becomes a fault it is lost with the rest, and one that is let go of stays",
        arguments: Operation.allCases.filter { $0.subject != .deleted && ![.delete, .fire, .mergeDeletion].contains($0) })
    func own(operation: Operation) throws {
        for isChild in operation.isForChildren ? [false, true] : [false] {
            for hook in operation.hooks {
                for key in ["x", "note"] {
                    let scene = try Scene(operation, isChild: isChild)
                    let what = "\(operation), \(hook), \(key), \(isChild ? "child" : "root")"
                    var subject = try #require(scene.subject)
                    let id = subject.objectID
                    let new: Value = key == "x" ? .double(7) : .string("7")
                    var wasSet = false
                    let hook = hook
                    subject.onHook = { [unowned subject] called in
                        guard called == hook, !wasSet, called != "didTurnIntoFault" else { return }
                        wasSet = true
                        do { try subject.setValue(new, forKey: key) } catch { Issue.record("\(what): \(error)") }
                    }
                    if operation == .sweep {
                        // Held by nobody.
                        scene.subject = nil
                        subject = try #require(scene.marks["first"])
                    }
                    try scene.perform()
                    if operation == .sweep { subject = try #require(scene.context.object(with: id) as? Mark) }
                    guard hook != "didTurnIntoFault" else { continue }
                    #expect(wasSet, "\(what)")
                    let context = scene.context
                    subject.onHook = nil
                    switch operation {
                    case .rollbackInsert, .discardInsert, .undoInsert:
                        #expect(try subject.managedObjectContext == nil && subject.value(forKey: key) == new, "\(what)")
                        #expect(!context.insertedObjects.contains(subject) && !context.updatedObjects.contains(subject), "\(what)")
                    case .refreshToFault, .refreshAllToFaults:
                        #expect(subject.isFault && !subject.hasChanges, "\(what)")
                        #expect(try subject.value(forKey: key) == (key == "x" ? .double(1) : .null), "\(what)")
                    default:
                        #expect(try subject.value(forKey: key) == new, "\(what): the value is lost")
                        try context.save()
                        if context !== scene.root { try scene.root.save() }
                        #expect(
                            try scene.container.newContext().existingObject(with: id).value(forKey: key) == new, "\(what): it was not saved"
                        )
                    }
                    try context.save()
                    #expect(!context.hasChanges, "\(what)")
                }
            }
        }
    }

    // A hook that followed a relationship while its context ended registered an object anew in a table that was done with; table, chunks and file stayed in memory
    // for good. In `close()` it got a stranger instead, and the error handler an error.
    @Test(
        "hooks of objects whose context ends may read, set, insert and fetch: all of it goes with the context, and is freed",
        arguments: ["reset", "close", "drop"], [false, true])
    func ending(how: String, isChild: Bool) throws {
        weak var dropped: ManagedObjectContext?
        weak var coordinator: PersistentStoreCoordinator?
        weak var friend: Mark?
        weak var fetched: Mark?
        var calls: [String] = []
        do {
            var (context, ids) = try Self.chain(isChild: isChild)
            coordinator = context?.coordinator
            var errors: [GrabenError] = []
            context?.errorHandler = { errors.append($0) }
            var marks = ids.prefix(2).compactMap { context?.object(with: $0) as? Mark }
            for mark in marks { try mark.setValue(.double(3), forKey: "x") }
            for mark in marks {
                mark.onHook = { [unowned mark] hook in
                    calls.append(hook)
                    guard let context = mark.managedObjectContext else { return }
                    friend = mark.friend?.friend
                    mark.friend?.setValueQuietly(5, of: "x")
                    mark.setValueQuietly(6, of: "x")
                    _ = Mark(context: context)
                    fetched = (try? context.fetch(FetchRequest<Mark>(entity: "Mark")))?.last
                }
            }
            dropped = context
            switch how {
            case "reset":
                context?.reset()
                #expect(context?.registeredObjects.isEmpty == true && context?.hasChanges == false)
                #expect(
                    try context?.fetch(FetchRequest<Mark>(entity: "Mark")).map { try $0.value(forKey: "x") }
                        == Array(repeating: .double(0), count: 4))
            case "close": context?.close()
            default: context = nil
            }
            #expect(
                errors.isEmpty && calls.sorted() == ["didTurnIntoFault", "didTurnIntoFault", "willTurnIntoFault", "willTurnIntoFault"],
                "\(errors) \(calls)")
            for mark in marks {
                #expect(try mark.managedObjectContext == nil && mark.value(forKey: "x") == .double(0))
                mark.onHook = nil
            }
            marks = []
        }
        #expect(dropped == nil && coordinator == nil && friend == nil && fetched == nil)
    }

    /// A context that has met nothing, and the ids of four saved objects, each the friend of the one before.
    private static func chain(isChild: Bool) throws -> (ManagedObjectContext?, [ObjectID]) {
        let context = try PersistentContainer(model: Mark.model, classes: ["Mark": Mark.self], stores: [StoreConfiguration(.inMemory)])
            .newContext()
        let marks = (0..<4).map { _ in Mark(context: context) }
        for index in 0..<3 { marks[index].friend = marks[index + 1] }
        try context.save()
        context.reset()
        return (isChild ? ManagedObjectContext(parent: context) : context, marks.map(\.objectID))
    }
}
