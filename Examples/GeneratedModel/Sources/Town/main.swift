import Foundation
import Graben

// The classes come out of Town.xcdatamodeld while the program is built; see what was made in .build/plugins/outputs, or run
// `graben model swift Sources/Town/Town.xcdatamodeld --module Town`.

/// Prints what is so, and ends with status 1 where it is not.
func show(_ what: String, _ found: String, _ expected: String) {
    print("\(what): \(found)")
    guard found != expected else { return }
    print("    expected \(expected)")
    exit(1)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("town-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("town.graben").path

let container = try TownModel.container(at: path)
let context = container.newContext()
context.undoManager = ObjectUndoManager()

let ground = Layer(context: context)
ground.name = "ground"
ground.level = 2
let joints = [("A", SIMD3(0, 0, 1.5)), ("B", [3, 4, 1.5]), ("C", [3, 4, 13.5])].map { name, position in
    let joint = Joint(context: context)
    joint.name = name
    joint.position = position
    return joint
}
ground.addToParts(joints)
for (start, end) in zip(joints, joints.dropFirst()) {
    let line = Line(context: context)
    line.name = "\(start.name ?? "")\(end.name ?? "")"
    line.start = start
    line.end = end
    ground.addToParts(line)
}
joints[0].look = Look(color: "red")
joints[0].tags = ["corner", "wet"]
try context.save()

let length = joints[0].outgoing.reduce(0) { $0 + $1.length }
show("a line from A", "\(length)", "5.0")
show("parts of the layer", ground.parts.compactMap(\.name).joined(separator: " "), "A B C AB BC")
show("defaults", "\(Line(context: context).kind) \(joints[1].look?.color ?? "no look")", "pipe black")
context.rollback()

let above = try context.fetch(try Joint.fetchAbove(least: 1, layer: ground))
show("above 1, highest first", above.compactMap(\.name).joined(separator: " "), "C A B")
show("neighbours of A", joints[0].neighbours.compactMap(\.name).joined(separator: " "), "AB B BC C")
show("the same, errors thrown", "\(try joints[0].fetchNeighbours().count)", "4")
show("by key path", "\(try joints[0].fetched(\.neighbours).count)", "4")

joints[2].position.z = 40
context.undo()
show("height of C after undo", "\(joints[2].z)", "13.5")
ground.removeFromParts(joints[2])
show("parts without C", ground.parts.compactMap(\.name).joined(separator: " "), "A B AB BC")
try context.save()
try container.close()

let again = try TownModel.container(at: path)
let fresh = again.newContext()
let first = try fresh.fetch(Joint.fetchRequest(where: "name == %@", "A"))[0]
show("A, read again", "\(first.look?.color ?? "") \(first.tags ?? []) \(first.layer?.level ?? 0)", "red [\"corner\", \"wet\"] 2")
try again.close()
print("everything is as expected")
