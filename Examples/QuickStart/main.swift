import Graben

@Entity final class Joint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    var name: String?
    @FetchedProperty("SELF != $FETCH_SOURCE AND z == $FETCH_SOURCE.z", sort: "name") var level: [Joint]
}

let container = try PersistentContainer(for: Joint.self, at: "drawing.graben")
let context = container.newContext()
context.undoManager = ObjectUndoManager()
for (name, position) in [("A", SIMD3(0, 0, 2.5)), ("B", [4, 0, 2.5]), ("C", [4, 3, 0])] {
    let joint = Joint(context: context)
    joint.name = name
    joint.position = position
}
try context.save()  // one commit, on the disk when the call returns

let found = try context.fetch(Joint.fetchRequest(where: "z > %@ AND name BEGINSWITH[c] %@", 1, "a"))
print(found[0].level.compactMap(\.name))  // ["B"]
context.translate(found, by: [0, 0, 1])
context.undo()
print(found[0].position.z)  // 2.5
try container.close()
