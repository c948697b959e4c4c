#if os(Linux)
    import Foundation
    import GrabenFixtures
    import Testing

    @testable import GrabenLog

    @Suite struct CompactionMemoryTests {
        private func run(_ arguments: [String]) throws -> Int {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: BuildProducts.program("LogProbe"))
            process.arguments = arguments
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text)")
            return Int(answer.split(separator: "\n").first ?? "0") ?? 0
        }

        /// Processes of their own, for other tests use memory too. A row of the index takes eight bytes: half a megabyte of what the larger
        /// store may take more.
        @Test("a compaction and a check take no more memory for eight times the data", .enabled(if: !TestShare.isBrief))
        func memory() throws {
            let folder = try TemporaryFolder()
            let counts = [8_192, 65_536]
            for count in counts { _ = try run(["fill", folder.path("\(count).graben"), "\(count)"]) }
            for (what, bound) in [("check", 16_384), ("compact", 24_576)] {
                let kilobytes = try counts.map { try run(["memory", what, folder.path("\($0).graben")]) }
                #expect(kilobytes.allSatisfy { $0 < bound }, "\(what): \(kilobytes)")
                #expect(kilobytes[1] < kilobytes[0] + 6_144, "\(what): \(kilobytes)")
            }
            for count in counts {
                let log = try Log.open(path: folder.path("\(count).graben"), in: RealFileSystem(), options: LogOptions(readOnly: true))
                #expect(log.newest.liveCount(1) == count / 2)
            }
        }
    }
#endif
