import FoundationEssentials
import Graben
import GrabenLog

extension JSONWriter {
    /// A property's value, as `load` reads it back: dates as ISO 8601 text, ids as URIs, bytes and decimals as in the form of a model.
    func value(_ value: Value) throws(CLIError) {
        switch value {
        case .null: try null()
        case .bool(let value): try bool(value)
        case .int(let value): try number(value)
        case .float(let value): try number(value)
        case .double(let value): try number(value)
        case .decimal(let value): try tagged("$decimal", value.description)
        case .string(let text), .uri(let text): try string(text)
        case .date(let date): try self.date(date.timeIntervalSinceReferenceDate)
        case .data(let data): try tagged("$data", data.base64EncodedString())
        case .uuid(let uuid): try string(uuid.uuidString)
        case .json(let data):
            if let text = String(validating: data, as: UTF8.self) {
                try string(text)
            } else {
                try tagged("$data", data.base64EncodedString())
            }
        case .reference(let id): try string(id.uriRepresentation)
        case .references(let ids):
            try beginArray()
            for id in ids { try string(id.uriRepresentation) }
            try endArray()
        }
    }

    /// Seconds since 2001 as ISO 8601 text where that is exact, else as `{"$date": seconds}`.
    func date(_ seconds: Double) throws(CLIError) {
        if let text = DateText.text(seconds) { return try string(text) }
        try beginObject()
        try key("$date")
        try number(seconds)
        try endObject()
    }
}
