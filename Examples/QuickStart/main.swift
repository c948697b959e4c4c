import Graben

final class Joint: ManagedObject {
    override class var packedAttributes: [String]? { ["x", "y", "z"] }  // checked against the model
    var position: SIMD3<Double> {
        get { packed3(0) }
        set { setPacked3(0, newValue) }
    }
    var name: String? {
        get { attribute("name") }
        set { setAttribute("name", newValue) }
    }
    var level: [Joint] { fetchedProperty("level") }
}

let coordinates = ["x", "y", "z"].map { AttributeDescription($0, .double, isOptional: false, isPacked: true) }
let level = FetchedPropertyDescription(
    "level", of: "Joint", predicateFormat: "SELF != $FETCH_SOURCE AND z == $FETCH_SOURCE.z", sort: ["name"])
let joint = EntityDescription("Joint", attributes: coordinates + [AttributeDescription("name", .string)], fetchedProperties: [level])

let container = try PersistentContainer(
    model: ManagedObjectModel(entities: [joint]), classes: ["Joint": Joint.self], at: "drawing.graben")
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
