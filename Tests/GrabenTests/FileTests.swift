import Foundation
import Graben
import Testing

@Suite("A store in a file")
struct FileTests {
    // A mapping keeps the open file alive, and with it the writer's lock: whoever closed a store while objects of it were held could not
    // open it again until they were gone.
    @Test("a closed store can be opened again in the same process, and holds what was saved")
    func reopen() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graben-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.graben"
        let first = try Network.container(.file(path))
        let context = first.newContext()
        let joint = Joint(context: context)
        joint.x = 4
        try context.save()
        try first.close()
        let second = try Network.container(.file(path))
        let joints = try second.newContext().fetch(Joint.fetchRequest())
        #expect(joints.map(\.x) == [4])
        try second.close()
    }

    // Opening a named pipe waited for a writer for ever, and a disk's device, which has no length of its own, passed for an empty store.
    @Test("a pipe or a device is no store, and is told so at once")
    func notAFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graben-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        for path in [folder + "/pipe", "/dev/null"] {
            #expect(throws: GrabenError.self) { try Network.container(.file(path)) }
            #expect(throws: GrabenError.self) { try PersistentContainer(selfDescribing: StoreConfiguration(.file(path))) }
        }
    }
}
