import Graben
import GrabenModel

/// Objects that match, sorted, in columns.
enum QueryCommand {
    static func run(_ session: Session) throws { try run(session, try OpenStore(session)) }

    static func run(_ session: Session, _ store: OpenStore) throws {
        let invocation = session.invocation
        let format = try RowFormat(invocation)
        let entity = try store.entity(invocation.operand(1) ?? "")
        if let query = try RowQuery(invocation, entity) {
            let rows = try Selection(entity, invocation).rows(query, in: store)
            return try ValueRowWriter(session: session, store: store, format: format).write(rows.rows, names: rows.names)
        }
        let withLists = format == .json || format == .jsonLines
        let columns: [ObjectColumn]
        if let names = try invocation.list("columns") {
            columns = try ObjectColumn.named(names, entity, store.model)
        } else {
            // With sub-entities a row has to say which it is of.
            let withEntity = withLists && entity.concreteDescendants != [entity.index]
            columns = ObjectColumn.standard(entity, store.model, withLists: withLists, withEntity: withEntity)
        }
        let selection = try Selection(entity, invocation)
        let json = JSONWriter(session.output)
        // Before anything is written, so that a predicate that fails leaves no half answer.
        let ids = try selection.ids(in: store)
        let rows = RowWriter(session, store, columns, format, json)
        try rows.begin()
        for id in ids { try rows.write(store.context.object(with: id)) }
        try rows.end()
        if format == .json { try json.newline() }
    }
}
