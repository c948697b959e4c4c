import Graben

@Entity final class Joint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>  // three attributes; accessors x, y, z and position
    var name: String?
    @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    @Relationship(inverse: \Line.end, deleteRule: .cascade) var incoming: ToMany<Line>
    @FetchedProperty("z == $FETCH_SOURCE.z AND SELF != $FETCH_SOURCE", sort: "name") var level: [Joint]
}

@Entity final class Line: ManagedObject {
    var start: Joint?
    var end: Joint?
}

let container = try PersistentContainer(for: Joint.self, Line.self, at: "drawing.graben")
let context = container.newContext()
context.undoManager = ObjectUndoManager()
var joints: [Joint] = []
for (name, position) in [("A", SIMD3(0, 0, 2.5)), ("B", [4, 0, 2.5]), ("C", [4, 3, 0])] {
    let joint = Joint(context: context)
    joint.name = name
    joint.position = position
    joints.append(joint)
}
let line = Line(context: context)
(line.start, line.end) = (joints[0], joints[2])  // joints[0].outgoing and joints[2].incoming have it at once
try context.save()  // one commit, on the disk when the call returns

let found = try context.fetch(Joint.fetchRequest(where: "outgoing.@count > 0 AND name BEGINSWITH[c] %@", "a"))
print(found[0].level.compactMap(\.name))  // ["B"]
context.translate(found, by: [0, 0, 1])
context.undo()
print(found[0].position.z)  // 2.5
try container.close()
