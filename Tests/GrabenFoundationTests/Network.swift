import Foundation
import Graben

enum Material: String, Codable { case steel, iron }

@Entity class Node: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    var name: String?
    var label: String = ""
    var isOpen: Bool = false
    var isChecked: Bool?
    var count: Int = 0
    var built: Date?
    @Attribute var material: Material = .steel
    var zone: Zone?
    @Relationship(inverse: \Pipe.start, deleteRule: .cascade) var outgoing: ToMany<Pipe>
    var doubled: Int { count * 2 }
}

@Entity final class Valve: Node {
    var diameter: Double = 0
}

@Entity final class Pipe: ManagedObject {
    var start: Node?
    var length: Double = 0
    @Relationship(inverse: \Zone.pipes) var zone: Zone?
}

@Entity final class Zone: ManagedObject {
    var name: String = ""
    @Relationship(inverse: \Node.zone) var nodes: ToMany<Node>
    @Relationship(deleteRule: .nullify) var pipes: OrderedToMany<Pipe>
}

/// A few nodes with pipes and zones, nils among them.
func network() throws -> ManagedObjectContext {
    let container = try PersistentContainer(
        for: Node.self, Valve.self, Pipe.self, Zone.self, stores: [StoreConfiguration(.inMemory)])
    let context = container.newContext()
    let zones = ["north", "south"].map { name in
        let zone = Zone(context: context)
        zone.name = name
        return zone
    }
    for number in 0..<40 {
        let node = number % 5 == 0 ? Valve(context: context) : Node(context: context)
        node.position = [Double(number), Double(number % 7), Double(number) / 3]
        node.name = number % 4 == 0 ? nil : ["Alpha", "beta", "gamma ray", "ABBA"][number % 4] + "\(number)"
        node.label = number % 3 == 0 ? "" : "label \(number)"
        node.isOpen = number % 2 == 0
        node.isChecked = [nil, true, false][number % 3]
        node.count = number - 20
        node.built = number % 6 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
        node.material = number % 8 == 0 ? .iron : .steel
        node.zone = number % 3 == 2 ? nil : zones[number % 2]
        (node as? Valve)?.diameter = Double(number)
        for part in 0..<number % 4 {
            let pipe = Pipe(context: context)
            pipe.start = node
            pipe.length = Double(number + part)
            pipe.zone = part == 0 ? nil : zones[part % 2]
        }
    }
    try context.save()
    return context
}
