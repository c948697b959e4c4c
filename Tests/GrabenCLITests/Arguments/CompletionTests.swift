import Foundation
import Testing

@Suite("Completions")
struct CompletionTests {
    /// What bash would offer for the last of some words.
    private func complete(_ words: [String], _ folder: Folder) throws -> Set<String> {
        let script = try folder.write("graben.bash", try Tool.run("completions", "bash").output)
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let program = """
            PATH="\(URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path):$PATH"
            source '\(script)'
            COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
            _graben; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", program]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Set(String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    @Test("bash completes commands, their verbs, their options and the entities of the store", .enabled(if: access("/bin/bash", X_OK) == 0))
    func bash() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        #expect(try complete(["graben", "comp"], folder) == ["compact", "completions"])
        #expect(try complete(["graben", "model", "sh"], folder) == ["show"])
        #expect(try complete(["graben", "repair", store, "--t"], folder) == ["--to"])
        #expect(try complete(["graben", "query", store, ""], folder) == ["Joint", "Line"])
        #expect(try complete(["graben", "query", store, "L"], folder) == ["Line"])
        #expect(try complete(["graben", "info", folder.path("ky1")], folder).contains(store))
    }

    @Test("every command and option stands in every script; another shell is refused with a suggestion")
    func scripts() throws {
        let help = try Tool.run("help").output
        for shell in ["bash", "zsh", "fish"] {
            let script = try Tool.run("completions", shell)
            #expect(script.status == 0)
            for command in ["check", "repair", "stats", "export", "dump", "model"] {
                #expect(script.output.contains(command) && help.contains(command))
            }
        }
        let wrong = try Tool.run("completions", "bsh")
        #expect(wrong.status == 64 && wrong.errors.contains("bash"))
        #expect(try Tool.run("completions", "entities", "/nowhere/none").status == 66)
    }
}
