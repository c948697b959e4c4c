import FoundationEssentials
import Graben

/// The town's tables, its model, and the figures that were computed from the tables by another program.
struct Fixtures {
    let folder: URL
    let model: ManagedObjectModel
    let expected: Expected

    /// - Parameter path: the folder; nil looks in the current directory and its parents, then beside this file.
    init(path: String?) throws {
        folder = try path.map { URL(filePath: $0) } ?? Self.find()
        model = try ManagedObjectModel.load(path: folder.appending(path: "ky10.model.json").path)
        let file = folder.appending(path: "ky10.expected.json")
        do {
            expected = try JSONDecoder().decode(Expected.self, from: Data(contentsOf: file))
        } catch {
            throw DemoFailure("reading the expected figures in '\(file.path)': \(error)")
        }
    }

    func table(_ entity: String) throws -> Table {
        try Table(path: folder.appending(path: "ky10/\(entity).tsv").path)
    }

    private static func find() throws(DemoFailure) -> URL {
        func candidate(_ start: URL) -> URL? {
            var directory = start
            for _ in 0..<8 {
                let folder = directory.appending(path: "Fixtures")
                if FileManager.default.fileExists(atPath: folder.appending(path: "ky10.model.json").path) { return folder }
                directory = directory.deletingLastPathComponent()
            }
            return nil
        }
        let here = URL(filePath: FileManager.default.currentDirectoryPath)
        if let found = candidate(here) ?? candidate(URL(filePath: #filePath)) { return found }
        throw DemoFailure("no folder Fixtures with ky10.model.json above '\(here.path)'; name it: Demo FIXTURES")
    }
}
