import Graben
import GrabenLog
import GrabenModel

/// In what two models differ, and whether a store of the first one opens under the second.
enum ModelDiffCommand {
    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let old = try ModelInput(invocation.operand(0) ?? "")
        let new = try ModelInput(invocation.operand(1) ?? "")
        let differences = try ModelDifference.differences(from: old.model, to: new.model)
        let opening = Opening(old, new)
        if invocation.has("json") {
            try write(differences, opening, old, new, JSONWriter(session.output))
        } else {
            for difference in differences { try session.output.write(line(difference).withoutControls + "\n") }
            try session.output.write(text(of: opening, differences, old, new))
        }
        if !differences.isEmpty { session.exit = .found }
    }

    /// What a store of the old model meets under the new one.
    private struct Opening {
        let sameVersion: Bool
        /// What keeps it from being opened; nil where one of the models is wrong, so that there are no stores of it.
        let obstacles: [String]?

        init(_ old: ModelInput, _ new: ModelInput) {
            obstacles = try? new.model.obstacles(toOpeningStoresOf: old.model)
            let hashes = [old, new].map { try? $0.model.resolved().versionHash }
            sameVersion = obstacles != nil && hashes[0] == hashes[1]
        }
    }

    private static func text(
        of opening: Opening, _ differences: [ModelDifference], _ old: ModelInput, _ new: ModelInput
    ) -> String {
        let count = differences.isEmpty ? "no difference" : differences.count == 1 ? "1 difference" : "\(differences.count) differences"
        let stores: String
        switch opening.obstacles {
        case nil: stores = "; one of the models is wrong (graben model check), so no store opens under it"
        case []? where opening.sameVersion: stores = "; both are one version to a store"
        case []?: stores = "; stores of the first open under the second, and their records are mapped as they are read"
        case let obstacles?:
            stores =
                "; stores of the first do not open under the second:\n" + obstacles.map { "  \($0.withoutControls)\n" }.joined().dropLast()
        }
        return "\(old.path.withoutControls) → \(new.path.withoutControls): \(count)\(stores)\n"
    }

    private static func line(_ difference: ModelDifference) -> String {
        switch difference.kind {
        case .added: "+ \(difference.part) \(difference.name)"
        case .removed: "- \(difference.part) \(difference.name)"
        case .renamed: "~ \(difference.part) \(difference.name): renamed from \(ModelDifference.text(of: difference.old))"
        case .changed:
            "~ \(difference.part)\(difference.name.isEmpty ? "" : " \(difference.name)"): "
                + "\(difference.key ?? "") \(ModelDifference.text(of: difference.old)) → \(ModelDifference.text(of: difference.new))"
        }
    }

    private static func write(
        _ differences: [ModelDifference], _ opening: Opening, _ old: ModelInput, _ new: ModelInput, _ json: JSONWriter
    ) throws(CLIError) {
        try json.beginObject()
        try json.field("old", old.path)
        try json.field("new", new.path)
        try json.field("same", differences.isEmpty)
        try json.field("sameVersion", opening.sameVersion)
        try json.key("opens")
        if let obstacles = opening.obstacles { try json.bool(obstacles.isEmpty) } else { try json.null() }
        try json.key("obstacles")
        try json.beginArray()
        for obstacle in opening.obstacles ?? [] { try json.string(obstacle) }
        try json.endArray()
        try json.key("differences")
        try json.beginArray()
        for difference in differences {
            try json.beginObject()
            try json.field("kind", difference.kind.rawValue)
            try json.field("part", difference.part)
            try json.field("name", difference.name)
            try json.field("key", difference.key)
            for (key, value) in [("old", difference.old), ("new", difference.new)] {
                try json.key(key)
                if let value { try json.raw(JSONText.text(of: value)) } else { try json.null() }
            }
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}
