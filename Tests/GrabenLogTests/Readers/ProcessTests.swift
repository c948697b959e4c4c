import Foundation
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("Several processes and one store")
struct ProcessTests {
    private func start(_ arguments: [String], output: Pipe? = nil) throws -> (process: Process, errors: Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuildProducts.program("LogProbe"))
        process.arguments = arguments
        let errors = Pipe()
        process.standardError = errors
        if let output { process.standardOutput = output }
        try process.run()
        return (process, errors)
    }

    @Test("a forked process can read what it holds, and is refused with a typed error whatever else it does; its parent goes on")
    func fork() throws {
        let folder = try TemporaryFolder()
        let (process, errors) = try start(["fork", folder.path("a.graben")])
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }

    @Test("a reader learns of every commit of another process soon after its save, and goes on with the next writer")
    func waiting() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.graben")
        let log = try Log.open(path: path, in: RealFileSystem())
        try log.close()
        let reader = try Log.open(path: path, in: RealFileSystem(), options: LogOptions(readOnly: true))
        var number: UInt64 = 0
        for round in 1...2 as ClosedRange<UInt64> {
            let output = Pipe()
            let (process, errors) = try start(["write", path, "60"], output: output)
            while number < 60 * round {
                let snapshot = try #require(try reader.waitForCommit(after: number, seconds: 30))
                #expect(snapshot.commitNumber > number && snapshot.liveCount(1) == Int(snapshot.commitNumber))
                #expect(try snapshot.record(1, Row(snapshot.commitNumber))?.string(0) == "thing \(snapshot.commitNumber)")
                number = snapshot.commitNumber
            }
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && lines.count == 60, "\(text)")
        }
        #expect(try reader.advance().commitNumber == 120)
        #expect(try reader.waitForCommit(after: 120, seconds: 0.02) == nil)
    }
}
