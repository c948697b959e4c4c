import Graben
import GrabenLog
import GrabenModel

/// Fills a context from tables, and finds everything wrong with them before anything is saved.
///
/// Rows become objects in the order of the files; references are looked up afterwards, so the order of files and rows does not matter.
final class TableLoader {
    let model: ResolvedModel
    let context: ManagedObjectContext
    private let coordinator: PersistentStoreCoordinator
    private var loaded: [(id: ObjectID, place: Place)] = []
    private var references: [Reference] = []
    /// New objects by what the tables call them.
    private var identities: [String: ObjectID] = [:]
    private var keys: KeyIndex
    private(set) var counts: [(entity: String, count: Int)] = []
    private(set) var problems: [CLIError] = []
    static let problemLimit = 20

    struct Place {
        let file: Int
        let line: Int
    }

    private struct Reference {
        let owner: ObjectID
        let property: Property
        let key: String?
        let targets: [Cell]
        let place: Place
    }

    enum Cell {
        case text(String)
        case json(CBOR)
    }

    private var files: [String] = []

    init(_ container: PersistentContainer) {
        model = container.model
        coordinator = container.coordinator
        context = container.newContext()
        keys = KeyIndex(context)
    }

    // MARK: Reading

    func read(_ file: TableFile) throws {
        let bytes = try FileBytes.read(file.path)
        files.append(file.path)
        do {
            switch file.form {
            case .tabs: try readDelimited(file, DelimitedReader(bytes, file: file.path, commas: false))
            case .commas: try readDelimited(file, DelimitedReader(bytes, file: file.path, commas: true))
            case .jsonLines: try readJSON(file, bytes)
            }
        } catch let error as CLIError where error.exit == .badData {
            // The rest of a file that cannot be read is skipped; other files may have findings of their own.
            problems.append(error)
        }
    }

    private func note(_ what: String, _ place: Place, _ column: String?, _ value: String?) {
        let file = files[place.file]
        let at = "\(file), line \(place.line)" + (column.map { ", column \($0)" } ?? "")
        problems.append(
            CLIError(.badData, "table.row", "\(at): \(what)", file: file, line: place.line, column: column, value: value))
    }

    private var isFull: Bool { problems.count >= Self.problemLimit }

    private func readDelimited(_ file: TableFile, _ source: DelimitedReader) throws {
        guard let entity = file.entity else { return }
        var source = source
        guard let header = try source.next() else {
            throw CLIError(
                .badData, "table.malformed", "\(file.path): it is empty; the first line names the columns", file: file.path, line: 1)
        }
        let titles = header.cells
        let uses = try TableColumns(entity: entity, model: model, file: file.path).uses(ofHeader: titles)
        while !isFull, let line = try source.next() {
            if line.cells.count == 1, titles.count > 1, line.cells[0] == nil { continue }
            let place = Place(file: files.count - 1, line: line.number)
            guard line.cells.count == titles.count else {
                note("\(line.cells.count) cells where the header has \(titles.count)", place, nil, nil)
                continue
            }
            let object = try insert(entity, place)
            for (index, cell) in line.cells.enumerated() {
                let title = titles[index] ?? ""
                for use in uses[index] { try apply(use, cell.map { .text($0) }, to: object, title, place) }
            }
        }
    }

    private func readJSON(_ file: TableFile, _ bytes: [UInt8]) throws {
        var known: [Int: [String: [ColumnUse]]] = [:]
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) where !isFull {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            let place = Place(file: files.count - 1, line: number)
            let tree: CBOR
            do { tree = try JSONText.tree(of: line) } catch {
                note("byte \(error.column): \(error.reason)", place, nil, nil)
                continue
            }
            guard case .map(let fields) = tree else {
                note("an object { … } is needed", place, nil, nil)
                continue
            }
            guard let entity = entity(of: tree, file, place) else { continue }
            let object = try insert(entity, place)
            let titles = Set(fields.map(\.key))
            for (key, value) in fields {
                do throws(CLIError) {
                    // What a key says may depend on which others are there, so it is remembered only where it does not.
                    let isFree = entity.properties.allSatisfy { $0.relationship?.userInfo["column"] != key }
                    var uses = isFree ? known[entity.index]?[key] : nil
                    if uses == nil {
                        uses = try TableColumns(entity: entity, model: model, file: file.path).uses(of: key, among: titles, isJSON: true)
                        if isFree { known[entity.index, default: [:]][key] = uses }
                    }
                    for use in uses ?? [] { try apply(use, value == .null ? nil : .json(value), to: object, key, place) }
                } catch {
                    guard error.exit == .badData else { throw error }
                    note(error.message, place, key, nil)
                }
            }
        }
    }

    /// The entity of a JSON object: what it says itself, else what the file's name says.
    private func entity(of tree: CBOR, _ file: TableFile, _ place: Place) -> Entity? {
        let said = file.entity.map { tree[ObjectColumn.entityTitle($0)] ?? tree["$entity"] } ?? tree["$entity"] ?? tree["entity"]
        guard let said else {
            if file.entity == nil { note("no \"entity\" says what the object is, and the file's name is no entity's", place, nil, nil) }
            return file.entity
        }
        guard case .string(let name) = said, let entity = model.entity(named: name), !entity.isAbstract else {
            let name = said.stringValue ?? "?"
            note("the model has no concrete entity \(name.shown)\(suggestion(model.nearestEntityName(to: name)))", place, "entity", name)
            return nil
        }
        return entity
    }

    private func insert(_ entity: Entity, _ place: Place) throws -> ManagedObject {
        if loaded.count % 1024 == 0 { try Interruption.check() }
        let object = try context.insertObject(entity: entity.name)
        loaded.append((object.objectID, place))
        if let index = counts.firstIndex(where: { $0.entity == entity.name }) {
            counts[index].count += 1
        } else {
            counts.append((entity.name, 1))
        }
        return object
    }

    private func apply(_ use: ColumnUse, _ cell: Cell?, to object: ManagedObject, _ title: String, _ place: Place) throws(CLIError) {
        switch use {
        case .identity:
            guard let cell, let text = cell.name else { return }
            if identities.updateValue(object.objectID, forKey: text) != nil {
                note("another row has this id already", place, title, text)
            }
        case .entity, .nothing: return
        case .attribute(let property, let attribute): set(property, attribute, cell, object, title, place)
        case .toOne(let property, let key):
            guard let cell else { return }
            references.append(Reference(owner: object.objectID, property: property, key: key, targets: [cell], place: place))
        case .toMany(let property):
            guard let cell else { return }
            guard case .json(.array(let members)) = cell else { return note("a list of ids is needed", place, title, cell.shown) }
            references.append(
                Reference(owner: object.objectID, property: property, key: nil, targets: members.map { .json($0) }, place: place))
        }
    }

    private func set(
        _ property: Property, _ attribute: AttributeDescription, _ cell: Cell?, _ object: ManagedObject, _ title: String, _ place: Place
    ) {
        // Where a value is required an empty cell leaves the default.
        if cell == nil, !attribute.isOptional, attribute.defaultValue != nil { return }
        let value: Value?
        switch cell {
        case nil: value = .some(.null)
        case .text(let text): value = CellParser.value(of: text, as: attribute.type)
        case .json(let tree): value = CellParser.value(of: tree, as: attribute.type)
        }
        if cell == nil, !attribute.isOptional {
            return note("\(CellParser.form(of: attribute.type)) is needed, the cell is empty", place, title, nil)
        }
        guard let value else {
            let shown = cell?.shown ?? ""
            return note("\(CellParser.form(of: attribute.type)) is needed, not \(shown.shown)", place, title, shown)
        }
        do { try object.setValue(value, forKey: property.name) } catch { note("\(error)", place, title, cell?.shown) }
    }

    // MARK: References and rules

    /// Looks up every reference, then checks each object by the model's rules and its unique keys.
    func finish() throws {
        for (index, reference) in references.enumerated() where !isFull {
            if index % 1024 == 0 { try Interruption.check() }
            try resolve(reference)
        }
        references = []
        guard problems.isEmpty else { return }
        for (index, (id, place)) in loaded.enumerated() where !isFull {
            if index % 1024 == 0 { try Interruption.check() }
            do { try context.object(with: id).validateForInsert() } catch GrabenError.validation(let failures) {
                for failure in failures where !isFull {
                    let value = failure.value.isNull ? nil : ValueText.text(failure.value)
                    note("\(failure.rule)\(value.map { ", found \($0.shown)" } ?? "")", place, failure.key, value)
                }
            }
        }
        guard problems.isEmpty else { return }
        try checkUniqueKeys()
    }

    private func resolve(_ reference: Reference) throws {
        var ids: [ObjectID] = []
        for target in reference.targets {
            guard let id = try find(target, reference) else { return }
            ids.append(id)
        }
        let value: Value = reference.property.isToMany ? .references(ids) : ids.first.map { .reference($0) } ?? .null
        do { try context.object(with: reference.owner).setValue(value, forKey: reference.property.name) } catch {
            note("\(error)", reference.place, reference.property.name, nil)
        }
    }

    private func find(_ cell: Cell, _ reference: Reference) throws -> ObjectID? {
        let text = cell.shown
        func missing(_ what: String) -> ObjectID? {
            note(what, reference.place, reference.property.name, text)
            return nil
        }
        guard let destination = model.destination(of: reference.property) else { return nil }
        if let name = cell.name, name.hasPrefix("graben://") || reference.key == nil {
            if let id = identities[name] { return id }
            if let id = coordinator.objectID(for: name), (try? context.existingObject(with: id)) != nil { return id }
            if name.hasPrefix("graben://") { return missing("no \(destination.name) has the id \(name.shown)") }
        }
        guard let key = reference.key, let attribute = destination.property(named: key)?.attribute else {
            return missing("\(destination.name) has no key to find \(text.shown) by; give ids, or a \"key\" in the relationship's userInfo")
        }
        let value: Value? =
            switch cell {
            case .text(let text): CellParser.value(of: text, as: attribute.type)
            case .json(let tree): CellParser.value(of: tree, as: attribute.type)
            }
        guard let value, !value.isNull else { return missing("no \(destination.name) has the \(key) \(text.shown)") }
        switch try keys.find(value, attribute: key, of: destination) {
        case .one(let id): return id
        case .several: return missing("more than one \(destination.name) has the \(key) \(text.shown)")
        case nil:
            if let name = cell.name, let id = identities[name] { return id }
            return missing("no \(destination.name) has the \(key) \(text.shown)")
        }
    }

    /// Objects in the store already count too.
    private func checkUniqueKeys() throws {
        let places = Dictionary(loaded.map { ($0.id, $0.place) }, uniquingKeysWith: { first, _ in first })
        let touched = Set(loaded.map { Int($0.id.entityNumber) })
        for entity in model.entities where touched.contains(where: { entity.concreteDescendants.contains($0) }) {
            for key in entity.uniqueKeys where key.declaringEntity == entity.index {
                let names = key.properties.map { entity.properties[$0].name }
                try UniqueKeys.duplicates(names, of: entity, in: context) { id, other, value in
                    guard !isFull, let place = places[id] ?? places[other] else { return }
                    let first = places[other].map { " as the one of \(files[$0.file]), line \($0.line)" } ?? " as one in the store"
                    note("a second \(entity.name) with the same \(names.joined(separator: ", "))\(first)", place, names.first, value)
                }
            }
        }
    }
}

extension TableLoader.Cell {
    /// The cell as text, where it is text.
    var name: String? {
        switch self {
        case .text(let text): text
        case .json(let tree): tree.stringValue
        }
    }

    /// The cell as it was written, for messages.
    var shown: String {
        switch self {
        case .text(let text): text
        case .json(let tree): tree.stringValue ?? JSONText.text(of: tree).split(separator: "\n").joined(separator: " ")
        }
    }
}
