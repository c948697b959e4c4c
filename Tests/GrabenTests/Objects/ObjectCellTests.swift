import Graben
import GrabenFixtures
import Testing

@Suite("What an object takes")
struct ObjectCellTests {
    #if !canImport(ObjectiveC)
        @Test("an object is its header and one word, whatever is read and changed of it")
        func size() {
            // Class metadata where there is no Objective-C: kind, superclass, flags and address point, then the size of an instance.
            let metadata = unsafeBitCast(Joint.self as AnyClass, to: UnsafeRawPointer.self)
            #expect(metadata.load(fromByteOffset: 24, as: UInt32.self) == 24)
        }
    #endif

    // What was read of an object stands beside its chunk, by slot. Two instances can share a slot: one that left the context and is still
    // held, and one registered for the same row since. Neither may see the other's values.
    @Test("an instance that left keeps its values while another stands at its row", arguments: [false, true])
    func twoInstances(endsByReset: Bool) throws {
        let container = try Network.container()
        let context = container.newContext()
        let first = Joint(context: context)
        first.name = "first"
        first.position = [1, 2, 3]
        try context.save()
        let id = first.objectID
        if endsByReset {
            context.reset()
        } else {
            context.delete(first)
            try context.save()
        }
        #expect(first.managedObjectContext == nil)
        let second = try #require(context.object(with: id) as? Joint)
        #expect(second !== first)
        if endsByReset {
            second.name = "second"
        } else {
            #expect(second.name == nil)
        }
        #expect(first.name == "first")
        #expect(first.position == [1, 2, 3])
        #expect(first.objectID == id && second.objectID == id)
        try context.save()
    }

    @Test("objects that come, are read, changed and go at random agree with a plain dictionary")
    func random() throws {
        let container = try Network.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        var names: [ObjectID: String] = [:]
        for number in 0..<3000 { Joint(context: context).name = "\(number)" }
        for case let joint as Joint in context.registeredObjects { names[joint.objectID] = joint.name }
        try context.save()
        var random = SplitMix64(seed: 12)
        var held: [(joint: Joint, name: String?)] = []
        for _ in 0..<20_000 {
            guard let id = names.keys.randomElement(using: &random) else { break }
            let joint = try #require(context.object(with: id) as? Joint)
            switch UInt.random(in: 0..<100, using: &random) {
            case 0..<50: #expect(joint.name == names[id])
            case 50..<75:
                joint.name = "\(UInt.random(in: 0..<1000, using: &random))"
                names[id] = joint.name
            case 75..<85: context.refresh(joint, mergeChanges: true)
            case 85..<90 where !joint.hasChanges: context.refresh(joint, mergeChanges: false)
            case 90..<93:
                held.append((joint, joint.name))
                context.delete(joint)
                names[id] = nil
            case 93..<94: try context.save()
            case 94..<95 where names.count < 3000:
                let new = Joint(context: context)
                new.name = "new"
                names[new.objectID] = "new"
            default: if held.count > 20 { held.removeFirst(10) }
            }
        }
        try context.save()
        for (joint, name) in held where joint.managedObjectContext == nil { #expect(joint.name == name) }
        for (id, name) in names { #expect((context.object(with: id) as? Joint)?.name == name) }
        context.reset()
        for (id, name) in names { #expect((context.object(with: id) as? Joint)?.name == name) }
    }
}
