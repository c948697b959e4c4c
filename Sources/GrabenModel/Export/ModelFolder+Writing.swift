internal import FoundationEssentials

extension ModelFolder {
    /// Makes a folder that is filled beside its place and then moved there, so that nobody finds half of it.
    static func make(_ path: String, _ fill: (String) throws(ModelError) -> Void) throws(ModelError) {
        var target = path
        while target.count > 1, target.hasSuffix("/") { target.removeLast() }
        guard !FileManager.default.fileExists(atPath: target) else {
            throw .unwritable(path: path, reason: "something of this name is there already")
        }
        let draft = "\(target).\(UInt64.random(in: 0 ... .max)).part"
        do throws(ModelError) {
            try makeFolder(draft)
            try fill(draft)
            do {
                try FileManager.default.moveItem(atPath: draft, toPath: target)
            } catch {
                throw .unwritable(path: path, reason: error.modelReason)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            // The draft's own name means nothing to anybody once it is gone.
            if case .unwritable(_, let reason) = error { throw .unwritable(path: path, reason: reason) }
            throw error
        }
    }

    static func makeFolder(_ path: String) throws(ModelError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        } catch {
            throw .unwritable(path: path, reason: error.modelReason)
        }
    }

    static func write(_ data: Data, to path: String) throws(ModelError) {
        do {
            try data.write(to: URL(filePath: path))
        } catch {
            throw .unwritable(path: path, reason: error.modelReason)
        }
    }
}
