import Foundation
import Graben
import GrabenFixtures
import Testing

@Suite("Isolation: what belongs to a context stays with it")
struct IsolationTests {
    /// The lines at which the compiler refuses a file that imports the library.
    ///
    /// - Parameter mode: `-typecheck`, or `-emit-sil` for what only the analysis of the flow of values finds.
    private func refusedLines(_ source: String, _ mode: [String]) throws -> (lines: Set<Int>, output: String) {
        let folder = try TemporaryFolder()
        let file = folder.path("Client.swift")
        try Data(source.utf8).write(to: URL(filePath: file))
        let products = try #require(BuildProducts.folder(with: "Modules"))
        let root = URL(filePath: #filePath).pathComponents.prefix { $0 != "Tests" }.dropFirst().joined(separator: "/")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["swiftc"] + mode + [
                "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm", "-module-name", "Client", "-I",
                products.appending(path: "Modules").path, "-I", "/\(root)/Sources/CLZ4", "-I", "/\(root)/Sources/CExpat", "-Xcc",
                "-fmodule-map-file=\(products.appending(path: "CGraben.build/module.modulemap").path)", file,
            ]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        var lines: Set<Int> = []
        for line in output.split(separator: "\n") {
            guard let place = line.range(of: ": error: ") else { continue }
            let parts = line[..<place.lowerBound].split(separator: ":")
            if parts.count >= 3, let number = Int(parts[parts.count - 2]) { lines.insert(number) }
        }
        return (lines, output)
    }

    /// The lines that say of themselves that they are refused.
    private func markedLines(_ source: String) -> Set<Int> {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return Set(lines.indices.filter { lines[$0].hasSuffix("// refused") }.map { $0 + 1 })
    }

    private static let common = """
        import Graben
        final class Pipe: ManagedObject {}
        actor Other { func take(_ pipe: Pipe) {} }
        func needsSendable<T: Sendable>(_ value: T) {}
        func use(_ pipe: Pipe) async {}

        """

    private static let cases: [(name: String, mode: [String], source: String)] = [
        (
            "types", ["-typecheck"],
            common + """
                func a(_ pipe: Pipe) { needsSendable(pipe) } // refused
                func b(_ context: ManagedObjectContext) { needsSendable(context) } // refused
                func c(_ undo: ObjectUndoManager, _ token: NotificationToken) { needsSendable((undo, token)) } // refused
                struct Message: Sendable { let pipe: Pipe } // refused
                func e(_ pipe: Pipe) -> @Sendable () -> Bool { { pipe.isFault } } // refused
                func f(_ work: BackgroundContext, _ pipe: Pipe) async { await work.perform { _ in pipe.touch() } } // refused
                func g(_ work: BackgroundContext, _ pipe: Pipe) { work.performAndWait { _ in pipe.touch() } } // refused
                func h(_ work: BackgroundContext) async { _ = await work.perform { $0 } } // refused
                func i(_ work: BackgroundContext) async { _ = await work.perform { $0.registeredObjects.first } } // refused
                func j(_ work: BackgroundContext) { _ = work.performAndWait { $0.onDidChange { _ in } } } // refused
                func k(_ container: PersistentContainer) { _ = container.viewContext.hasChanges } // refused
                """
        ),
        (
            "flow", ["-emit-sil", "-o", "/dev/null"],
            common + """
                func a(_ pipe: Pipe) { Task { pipe.touch() } } // refused
                func b(_ pipe: Pipe) { Task.detached { pipe.touch() } } // refused
                func c(_ pipe: Pipe) async { await withTaskGroup(of: Void.self) { $0.addTask { pipe.touch() } } } // refused
                func d(_ pipe: Pipe) async { async let done: Void = use(pipe); await done } // refused
                func e(_ pipe: Pipe, _ other: Other) async { await other.take(pipe) } // refused
                func f(_ pipe: Pipe, _ stream: AsyncStream<Pipe>.Continuation) { stream.yield(pipe) } // refused
                func g(_ context: ManagedObjectContext) { Task { context.undo() } } // refused
                @MainActor func h(_ container: PersistentContainer) { let c = container.viewContext; Task.detached { c.undo() } } // refused
                func i(_ container: PersistentContainer) { let c = container.newContext(); Task { c.undo() }; c.undo() } // refused
                """
        ),
        (
            "allowed", ["-emit-sil", "-o", "/dev/null"],
            common + """
                func a(_ pipe: Pipe, _ work: BackgroundContext) async throws -> [ObjectID] {
                    let (id, frozen) = (pipe.objectID, pipe.frozen())
                    needsSendable((id, frozen))
                    return try await work.perform { context throws in
                        context.object(with: id).touch()
                        _ = frozen.values
                        try context.save()
                        return context.registeredObjects.map(\\.objectID)
                    }
                }
                @MainActor func b(_ container: PersistentContainer) { let c = container.viewContext; Task { c.undo() } }
                func c(_ container: PersistentContainer) { let c = container.newContext(); Task { c.undo() } }
                func d(_ context: ManagedObjectContext) {
                    let (changes, saves) = (context.changes, context.saves)
                    Task.detached { for await change in changes { needsSendable(change) } }
                    Task.detached { for await save in saves { needsSendable(save) } }
                }
                func e(_ container: PersistentContainer) { Task.detached { container.newBackgroundContext().performAndWait { $0.undo() } } }
                """
        ),
    ]

    @Test(
        "the compiler refuses to pass objects and contexts across tasks, and allows ids, frozen copies and whole contexts", arguments: 0..<3
    )
    func compiled(number: Int) throws {
        let (name, mode, source) = Self.cases[number]
        let (lines, output) = try refusedLines(source, mode)
        #expect(lines == markedLines(source), "\(name): \(output)")
    }

    #if DEBUG
        @Test("a debug build ends where an object of a background context is used outside of it, and names object, owner and caller")
        func trapped() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nonisolated(unsafe) var leaked: Joint?
                let background = try Network.container().newBackgroundContext()
                background.performAndWait {
                    $0.name = "import"
                    leaked = Joint(context: $0)
                }
                print(leaked?.name ?? "nil")
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            for part in ["Joint graben://", "belongs to the background context \"import\"", "by thread", "nobody is inside it"] {
                #expect(text.contains(part), "\(part) is not in \(text.prefix(600))")
            }
        }

        @Test(
            "a debug build ends where an object of the main actor's context is used off the main actor, and names object, owner and caller")
        func trappedOffMainActor() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nonisolated(unsafe) var leaked: Joint?
                nonisolated(unsafe) var container: PersistentContainer?
                try await MainActor.run {
                    let opened = try Network.container()
                    opened.viewContext.name = "drawing"
                    leaked = Joint(context: opened.viewContext)
                    leaked?.name = "on the main actor"
                    container = opened
                }
                await Task.detached { print(leaked?.name ?? "nil") }.value
                withExtendedLifetime(container) {}
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            for part in ["Joint graben://", "belongs to the main actor's context \"drawing\"", "off the main actor, by thread"] {
                #expect(text.contains(part), "\(part) is not in \(text.prefix(600))")
            }
        }
    #endif

    @Test("the main actor's context is used on the main actor, in tasks and between them, and may be let go of anywhere")
    func mainActor() async throws {
        var container: PersistentContainer? = try Network.container()
        let opened = try #require(container)
        try await MainActor.run {
            let joint = Joint(context: opened.viewContext)
            joint.position = [1, 2, 3]
            try opened.viewContext.save()
        }
        let count = try await Task { @MainActor in
            await Task.yield()
            return try opened.viewContext.count(for: Joint.fetchRequest())
        }.value
        #expect(count == 1)
        let onQueue = await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                MainActor.assumeIsolated { continuation.resume(returning: (try? opened.viewContext.count(for: Joint.fetchRequest())) ?? 0) }
            }
        }
        #expect(onQueue == 1)
        container = nil
    }

    @Test("what happens inside of a background context is checked and goes on, nested and from any thread")
    func inside() async throws {
        let background = try Network.container().newBackgroundContext()
        let names = await withTaskGroup(of: String?.self) { group in
            for index in 0..<8 {
                group.addTask {
                    await background.perform { context in
                        let joint = Joint(context: context)
                        joint.name = "\(index)"
                        joint.x = Double(index)
                        return background.performAndWait { _ in index }.description == joint.name ? joint.name : nil
                    }
                }
            }
            return await group.reduce(into: [String]()) { $0.append($1 ?? "?") }
        }
        #expect(names.sorted() == (0..<8).map(String.init))
    }
}
