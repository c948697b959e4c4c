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
let model = ManagedObjectModel(entities: [
    EntityDescription("Joint", attributes: coordinates + [AttributeDescription("name", .string)], fetchedProperties: [level])
])
let container = try PersistentContainer(model: model, classes: ["Joint": Joint.self], at: "drawing.graben")
let context = container.newContext()
context.undoManager = ObjectUndoManager()

for (name, position) in [("A", SIMD3(0, 0, 2.5)), ("B", [4, 0, 2.5]), ("C", [4, 3, 0])] {
    let joint = Joint(context: context)
    joint.name = name
    joint.position = position
}
try context.save()  // one commit, synced

let all = try context.fetch(Joint.fetchRequest(where: "z > %@ AND name BEGINSWITH[c] %@", 1, "a"))
print(all.map { "\($0.name ?? "") is level with \($0.level.map { $0.name ?? "" })" })
context.translate(all, by: [0, 0, 1])
context.undo()
print(all.map(\.position))
try container.close()
