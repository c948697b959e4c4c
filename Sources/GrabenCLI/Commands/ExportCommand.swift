import Graben
import GrabenLog
import GrabenModel

/// Writes objects as tables that `load` reads back exactly: to standard output, or a file for each entity with the model beside them.
enum ExportCommand {
    static func run(_ session: Session) throws {
        let store = try OpenStore(session)
        let isCSV = session.invocation.has("csv")
        let entities: [Entity]
        if let name = session.invocation.operand(1) {
            let entity = try store.entity(name)
            entities = store.model.concreteDescendants(of: entity)
        } else {
            entities = store.concreteEntities
        }
        if let folder = session.invocation.value("to") { return try write(entities, of: store, to: folder, isCSV, session) }
        let json = JSONWriter(session.output)
        if isCSV {
            guard entities.count == 1, let entity = entities.first else {
                let names = store.concreteEntities.map(\.name).joined(separator: ", ")
                throw CLIError.usage(
                    "missing-operand",
                    "--csv to standard output is one table: name an ENTITY without sub-entities (\(names)), or a folder by --to")
            }
            return try write(entity, of: store, isCSV, session.output, json, session)
        }
        for entity in entities { try write(entity, of: store, false, session.output, json, session) }
    }

    private static func write(
        _ entity: Entity, of store: OpenStore, _ isCSV: Bool, _ output: ByteOutput, _ json: JSONWriter, _ session: Session
    ) throws {
        var columns = ObjectColumn.standard(entity, store.model, withLists: !isCSV, withEntity: !isCSV)
        if isCSV { columns = columns.map(\.byID) }
        try RowWriter(session, store, columns, isCSV ? .csv : .jsonLines, json, output)
            .writeAll(Selection(entity, includesSubentities: false))
        guard isCSV else { return }
        // A cell cannot be a list, and the inverse says nothing of these.
        let left = entity.properties.filter { property in
            property.isToMany && property.link?.storage != .reverse && property.link?.storage != .linksAsMember
        }
        if !left.isEmpty {
            let names = left.map(\.name).joined(separator: ", ")
            session.say("graben: note: the members of \(entity.name).\(names) have no place in CSV; JSON lines hold them")
        }
    }

    // MARK: A folder

    private static func write(_ entities: [Entity], of store: OpenStore, to folder: String, _ isCSV: Bool, _ session: Session) throws {
        var written: [(file: String, objects: Int)] = []
        for entity in entities {
            let path = try OutputFolder.path(of: entity.name + (isCSV ? ".csv" : ".jsonl"), in: folder)
            guard !FileBytes.exists(path) else { throw exists(path) }
            let file = try OutputFile(path, besides: store.path)
            try write(entity, of: store, isCSV, file.output, JSONWriter(file.output), session)
            try file.finish()
            written.append((path, try Selection(entity, includesSubentities: false).count(in: store)))
        }
        let path = try OutputFolder.path(of: "model.json", in: folder)
        guard !FileBytes.exists(path) else { throw exists(path) }
        let file = try OutputFile(path, besides: store.path)
        try file.output.write(String(decoding: try store.model.description.jsonData(), as: UTF8.self))
        try file.finish()
        if session.invocation.has("json") {
            let json = JSONWriter(session.output)
            try json.beginObject()
            try json.field("store", store.path)
            try json.field("model", path)
            try json.key("files")
            try json.beginArray()
            for (file, count) in written {
                try json.beginObject()
                try json.field("file", file)
                try json.field("objects", count)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
            return try json.newline()
        }
        for (file, count) in written {
            try session.output.write("\(file): \(ValueText.grouped(count)) \(count == 1 ? "object" : "objects")\n")
        }
        try session.output.write("\(path): the model\n")
    }

    private static func exists(_ path: String) -> CLIError {
        CLIError(.cannotCreate, "file.exists", "'\(path)' exists already, and is not overwritten", file: path)
    }
}
