/// How an error looks on standard error.
extension CLIError {
    /// For people: the message, what else was found, and what to do next.
    func text(bold: (String) -> String) -> String {
        var text = "\(bold("graben:")) \(message.linesWithoutControls)\n"
        for other in others { text += "  \(other.linesWithoutControls)\n" }
        if let hint { text += "Try: \(hint.linesWithoutControls)\n" }
        return text
    }

    /// For programs: one line of JSON.
    func write(to json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.key("error")
        try json.beginObject()
        try json.field("code", code)
        try json.field("message", message)
        try json.field("file", file)
        try json.key("offset")
        if let offset { try json.number(offset) } else { try json.null() }
        if let line { try json.field("line", line) }
        if let column { try json.field("column", column) }
        if let value { try json.field("value", value) }
        try json.field("hint", hint)
        if !others.isEmpty {
            try json.key("others")
            try json.beginArray()
            for other in others { try json.string(other) }
            try json.endArray()
        }
        try json.endObject()
        try json.endObject()
        try json.newline()
    }
}
