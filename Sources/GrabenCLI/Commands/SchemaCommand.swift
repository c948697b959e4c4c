import Graben
import GrabenModel

/// The model: entities and their properties.
enum SchemaCommand {
    private static func model(_ session: Session) throws -> ManagedObjectModel {
        let path = session.invocation.store
        guard let moment = try session.invocation.moment() else { return try ManagedObjectModel(ofStoreAt: path) }
        return try ManagedObjectModel(tree: try OpenStore.log(path: path, asOf: moment).catalog.model)
    }

    static func run(_ session: Session) throws {
        let model = try Self.model(session)
        if session.invocation.has("json") { return try session.output.write(try model.jsonData()) }
        let resolved = try model.resolved()
        var shown = resolved.entities
        if let name = session.invocation.operand(1) {
            guard let entity = resolved.entity(named: name) else {
                throw CLIError(
                    .notFound, "entity.unknown",
                    "'\(session.invocation.store)' has no entity \(name.shown)\(suggestion(resolved.nearestEntityName(to: name)))",
                    file: session.invocation.store)
            }
            shown = [entity]
        }
        for (place, entity) in shown.enumerated() {
            if place > 0 { try session.output.write("\n") }
            try ModelText.write(entity, session)
        }
        if session.invocation.operand(1) == nil { try ModelText.writeRest(of: model, session) }
    }
}
