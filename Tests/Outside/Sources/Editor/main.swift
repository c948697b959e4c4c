import Shapes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

func check(_ holds: Bool, _ what: String, line: Int = #line) {
    guard !holds else { return }
    print("line \(line): \(what)")
    exit(1)
}

let path = CommandLine.arguments[1]
let container = try PersistentContainer(for: Joint.self, Valve.self, Sheet.self, at: path)
check(
    container.model.entities.map(\.name) == ["Shape", "Joint", "Line", "Valve", "Page"], "entities: \(container.model.entities.map(\.name))"
)
let context = container.newContext()
context.undoManager = ObjectUndoManager()

let sheet = Sheet(context: context)
let joints = (0..<4).map { number in
    let joint = Joint(context: context)
    joint.name = "J\(number)"
    joint.position = [Double(number), 2, number < 3 ? 5 : 6]
    sheet.addToShapes(joint)
    return joint
}
let valve = Valve(context: context)
valve.start = joints[0]
valve.end = joints[1]
valve.style = .dashed
valve.handle = [7, 8]
valve.load = 1.5
valve.maker = "nobody"
sheet.addToShapes(valve)
check(valve.turns == 3 && valve.thickness == 0.5 && valve.opening == 0.25, "defaults")
try context.save()
valve.turns = 9
valve.v = 80
context.undo()
check(valve.turns == 3 && valve.handle == [7, 8], "undo")
try context.save()
try container.close()

let again = try PersistentContainer(for: Joint.self, Valve.self, Sheet.self, at: path)
let reading = again.newContext()
let found = try reading.fetch(Joint.fetchRequest(where: "z == %@ AND name BEGINSWITH %@", 5, "J"))
check(found.count == 3, "fetched \(found.count)")
check(found.allSatisfy(\.isFault), "objects come as faults")
check(found.map(readLane) == [2, 2, 2] && readPoint(found[1]) == [1, 2, 5], "lanes of a class in another module")
check(found[0].level.map(\.name) == ["J1", "J2"], "fetched property")
let valves = try reading.fetch(Valve.fetchRequest())
check(valves.count == 1 && readInheritedLane(valves[0]) == 8 && readFloatLane(valves[0]) == 0.25, "lanes behind those of a superclass")
check(valves[0].isFault, "reading lanes leaves a fault a fault")
check(valves[0].load == 1.5 && valves[0].style == .dashed && valves[0].maker == "nobody" && valves[0].turns == 3, "attributes")
check(valves[0].start === found[0] && found[0].outgoing.contains(valves[0]) && valves[0].sheet?.number == 1, "relationships")
check(valves[0].sheet?.shapes.count == 5, "ordered members")
check(Valve.propertyKey(for: \Valve.thickness) == "thickness", "key paths of another module's class")
try again.close()
print("a package that depends on Graben: \(found.count) joints and \(valves.count) valve came back")
