import GrabenLog

enum VersionCommand {
    static let program = "0.1.0"

    static func run(_ session: Session) throws {
        guard session.invocation.has("json") else {
            return try session.output.write("graben \(program), file format \(Format.version)\n")
        }
        let json = JSONWriter(session.output)
        try json.beginObject()
        try json.field("version", program)
        try json.field("format", Format.version)
        try json.endObject()
        try json.newline()
    }
}
