import GrabenLog
import GrabenModel

/// Tells how a store's model differs from a program's, entity by entity.
enum StoreModelComparison {
    /// Every difference: what keeps the store closed comes from the catalog's builder, which knows how things are kept; what is mapped from
    /// comparing the models.
    static func differences(
        stored: ManagedObjectModel, model: ManagedObjectModel, obstacles: [StoreModelDifference]
    ) throws(ModelError) -> [StoreModelDifference] {
        let refused = Set(obstacles.map { "\($0.entity ?? "").\($0.property ?? "")" })
        let packed = Set(
            model.entities.flatMap { entity in entity.attributes.filter(\.isPacked).map { "\(entity.name).\($0.name)" } })
        var mapped: [StoreModelDifference] = []
        for difference in try ModelDifference.differences(from: stored, to: model) {
            // An obstacle says already what became of the property.
            if refused.contains(difference.name), difference.kind != .changed || Self.kept.contains(difference.key ?? "") { continue }
            // What something was called before is told where it counts: where the file still calls it so.
            if difference.kind == .changed, difference.key == "renamedFrom" { continue }
            let isOfEntity = Self.partsOfEntities.contains(difference.part)
            let parts = difference.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let what = isOfEntity ? "" : difference.part == "model" ? "the model " : "the \(difference.part) \(difference.name) "
            mapped.append(
                StoreModelDifference(
                    entity: isOfEntity ? parts.first : nil, property: isOfEntity && parts.count == 2 ? parts[1] : nil, effect: .mapped,
                    reason: what + reason(difference, isPacked: packed.contains(difference.name))))
        }
        let order = Dictionary(
            (stored.entities + model.entities).map(\.name).enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let all = (obstacles + mapped).enumerated().sorted { a, b in
            let (first, second) = (order[a.element.entity ?? ""] ?? -1, order[b.element.entity ?? ""] ?? -1)
            return first != second ? first < second : a.offset < b.offset
        }
        return all.map(\.element)
    }

    /// What decides how a property is kept.
    private static let kept: Set<String> = ["type", "packed", "transient", "toMany", "ordered", "inverse", "destination"]

    private static let partsOfEntities: Set<String> = ["entity", "attribute", "relationship", "fetched property", "index"]

    private static func reason(_ difference: ModelDifference, isPacked: Bool) -> String {
        switch difference.kind {
        case .added: added(difference)
        case .removed: removed(difference)
        case .renamed: "was called \(difference.old?.stringValue ?? "otherwise") in the file: \(renamed(difference))"
        case .changed: changed(difference, isPacked)
        }
    }

    private static func added(_ difference: ModelDifference) -> String {
        switch difference.part {
        case "entity": "is new: it has no objects yet"
        case "attribute": "is new: objects written before have its default"
        case "relationship": "is new: objects written before have no member"
        case "fetched property": "is a new fetched property; nothing of it is stored"
        default: "is a new \(difference.part); nothing of it is stored with objects"
        }
    }

    private static func removed(_ difference: ModelDifference) -> String {
        switch difference.part {
        case "entity": "is not in the model any more: its objects stay in the file and are not seen"
        case "attribute", "relationship":
            "is not in the model any more: what objects have of it stays in the file until they are written again, and is not seen"
        default: "is a \(difference.part) that is not in the model any more; nothing of it is stored with objects"
        }
    }

    private static func renamed(_ difference: ModelDifference) -> String {
        switch difference.part {
        case "entity": "its objects are found under the new name"
        case "relationship": "its members are found under the new name"
        default: "nothing is stored under the old name"
        }
    }

    private static func changed(_ difference: ModelDifference, _ isPacked: Bool) -> String {
        let (old, new) = (ModelDifference.text(of: difference.old), ModelDifference.text(of: difference.new))
        let key = difference.key ?? ""
        switch (difference.part, key) {
        case ("attribute", "optional") where difference.new?.boolValue == false && isPacked:
            return "was optional in the file and is not in the model: nil reads as 0"
        case ("attribute", "optional") where difference.new?.boolValue == false:
            return
                "was optional in the file and is not in the model: objects without a value keep none until they are changed, and then need "
                + "one to be saved"
        case ("attribute", "optional"): return "was not optional in the file and is in the model: nil is allowed from now on"
        case ("attribute", "default"):
            return "has the default \(new) in the model and had \(old) in the file: only new objects begin with it"
        case ("attribute", "minimum"), ("attribute", "maximum"), ("attribute", "minimumLength"), ("attribute", "maximumLength"),
            ("attribute", "regularExpression"), ("relationship", "optional"), ("relationship", "minimumCount"),
            ("relationship", "maximumCount"):
            return "has another rule, \(key): \(old) in the file, \(new) in the model; it holds for what is saved from now on"
        case ("attribute", "derivation"):
            return "is derived otherwise, \(old) in the file, \(new) in the model: values stay until their objects are saved again"
        case ("attribute", "transient"):
            return difference.new?.boolValue == true
                ? "was stored in the file and is transient in the model: what is stored is not seen"
                : "was transient in the file and is stored in the model: objects written before have its default"
        case ("relationship", "deleteRule"):
            return "has the delete rule \(new) in the model and had \(old) in the file: it holds for what is deleted from now on"
        case ("entity", "abstract"):
            return difference.new?.boolValue == true
                ? "is abstract in the model and was not in the file: objects of its own stay in the file and are not seen"
                : "was abstract in the file and is not in the model: it has no objects of its own yet"
        case ("entity", "superentity"):
            return "inherits from \(new) in the model and from \(old) in the file: its objects have what both call by one name"
        case ("entity", "unique"):
            return "has the keys \(new) in the model and \(old) in the file: they hold for what is saved from now on"
        case ("fetched property", _): return "fetches otherwise, \(key): \(old) in the file, \(new) in the model; nothing of it is stored"
        default: return "has another \(key): \(old) in the file, \(new) in the model; nothing that is stored depends on it"
        }
    }
}
