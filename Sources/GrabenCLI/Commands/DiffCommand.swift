import Graben
import GrabenLog
import GrabenModel

/// In what two commits of a store differ, or two stores; ends with status 1 where they do.
enum DiffCommand {
    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let format = try RowFormat(invocation)
        guard format != .csv else { throw CLIError.usage("conflict", "--csv is the form of one table; use --jsonl") }
        let (first, second) = try sides(invocation)
        let old = try first.open(session)
        let new = try second.open(session)
        let difference = StoreDifference(old, new)
        let writer = DifferenceWriter(session, old, new, format)
        try writer.begin()
        try difference.forEach { try writer.write($0) }
        try writer.end()
        if writer.count > 0 { session.exit = .found }
    }

    /// One of the two things that are compared.
    private struct Side {
        let path: String
        let moment: LogMoment?

        func open(_ session: Session) throws -> OpenStore {
            let store = try OpenStore(path: path, log: try OpenStore.log(path: path, asOf: moment))
            if let damage = store.log.damage {
                session.flaw("'\(path)' is damaged at byte \(damage.offset): \(damage.reason); later commits are not compared")
            }
            store.context.errorHandler = { error in session.flaw("\(error)") }
            return store
        }
    }

    /// STORE A B, STORE A (and the newest commit), or STORE STORE.
    private static func sides(_ invocation: Invocation) throws(CLIError) -> (Side, Side) {
        let path = invocation.store
        let rest = Array(invocation.operands.dropFirst())
        guard let first = rest.first, rest.count <= 2 else {
            throw .usage("missing-operand", "diff takes a STORE and one or two commits, or another STORE", hint: "graben help diff")
        }
        guard let start = Invocation.moment(first) else {
            guard rest.count == 1 else {
                throw .usage("bad-value", "\(first.shown) is neither the number of a commit nor a time", hint: "graben help diff")
            }
            return (Side(path: path, moment: nil), Side(path: first, moment: nil))
        }
        guard rest.count == 2 else { return (Side(path: path, moment: start), Side(path: path, moment: nil)) }
        guard let end = Invocation.moment(rest[1]) else {
            throw .usage("bad-value", "\(rest[1].shown) is neither the number of a commit nor a time", hint: "graben help diff")
        }
        return (Side(path: path, moment: start), Side(path: path, moment: end))
    }
}

/// Writes one difference after the other: `+` what only the second has, `-` what only the first has, `~` what differs.
private final class DifferenceWriter {
    private let session: Session
    private let old: OpenStore
    private let new: OpenStore
    private let format: RowFormat
    private let json: JSONWriter
    private(set) var count = 0

    init(_ session: Session, _ old: OpenStore, _ new: OpenStore, _ format: RowFormat) {
        (self.session, self.old, self.new, self.format) = (session, old, new, format)
        json = JSONWriter(session.output)
    }

    func begin() throws {
        guard format == .json else { return }
        try json.beginObject()
        for (name, store) in [("from", old), ("to", new)] {
            try json.key(name)
            try json.beginObject()
            try json.field("file", store.path)
            try json.field("store", store.log.storeUUID.uuidString.lowercased())
            try json.field("commit", store.log.newest.commitNumber)
            try json.endObject()
        }
        try json.key("differences")
        try json.beginArray()
    }

    func end() throws {
        guard format == .json else { return }
        try json.newline()
        try json.endArray()
        try json.endObject()
        try json.newline()
    }

    func write(_ difference: StoreDifference.Entry) throws {
        count += 1
        switch format {
        case .json:
            try json.breakLine()
            try object(difference)
        case .jsonLines:
            try object(difference)
            try json.newline()
        case .text, .csv: try session.output.write(try line(difference).withoutControls + "\n")
        }
    }

    private func line(_ difference: StoreDifference.Entry) throws -> String {
        switch difference {
        case .onlyInSecond(let entity, let row): return "+ \(entity)/\(row)"
        case .onlyInFirst(let entity, let row): return "- \(entity)/\(row)"
        case .differs(let entity, let row, let properties):
            var parts: [String] = []
            for property in properties {
                parts.append("\(property.name) \(try text(property.before, old)) → \(try text(property.after, new))")
            }
            return "~ \(entity)/\(row): " + parts.joined(separator: ", ")
        case .entityOnlyInFirst(let entity): return "- entity \(entity)"
        case .entityOnlyInSecond(let entity): return "+ entity \(entity)"
        }
    }

    private func text(_ value: Value?, _ store: OpenStore) throws -> String {
        guard let value else { return "(no such property)" }
        if value.isNull { return "nil" }
        let text = try ValueText.text(value) { id throws(CLIError) in store.names.shortID(id) }
        if case .string = value { return "\"\(text)\"" }
        return text.isEmpty ? "none" : text
    }

    private func object(_ difference: StoreDifference.Entry) throws {
        try json.beginObject()
        switch difference {
        case .onlyInSecond(let entity, let row): try head("insert", entity, row)
        case .onlyInFirst(let entity, let row): try head("delete", entity, row)
        case .differs(let entity, let row, let properties):
            try head("update", entity, row)
            try json.key("properties")
            try json.beginObject()
            for property in properties {
                try json.key(property.name)
                try json.beginObject()
                if let before = property.before {
                    try json.key("from")
                    try json.value(before)
                }
                if let after = property.after {
                    try json.key("to")
                    try json.value(after)
                }
                try json.endObject()
            }
            try json.endObject()
        case .entityOnlyInFirst(let entity): try head("delete-entity", entity, nil)
        case .entityOnlyInSecond(let entity): try head("insert-entity", entity, nil)
        }
        try json.endObject()
    }

    private func head(_ kind: String, _ entity: String, _ row: UInt32?) throws {
        try json.field("kind", kind)
        try json.field("entity", entity)
        if let row { try json.field("row", row) }
    }
}
