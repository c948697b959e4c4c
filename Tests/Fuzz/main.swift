import GrabenFixtures
import PredicateFuzzing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Fuzzes the predicate language: PredicateFuzz [SECONDS [SEED]]. Ends with status 1 at the first finding; a crash prints its format.

/// The format being looked at, where a signal handler finds it.
nonisolated(unsafe) let current = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
nonisolated(unsafe) var currentLength = 0

for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
    signal(number) { number in
        // Only what a signal handler may do.
        _ = write(2, "crashed at the format:\n", 23)
        _ = write(2, current, currentLength)
        _ = write(2, "\n", 1)
        _exit(1)
    }
}

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 600
let seed = CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
print("fuzzing predicates for \(seconds) seconds from seed \(seed)")

let clock = ContinuousClock()
let start = clock.now
var fuzzer = PredicateFuzzer(seed: seed)
var rounds = 0
while clock.now - start < .seconds(seconds) {
    for _ in 0..<100 {
        let format = fuzzer.next()
        currentLength = 0
        for byte in format.utf8.prefix(1 << 16) {
            current[currentLength] = byte
            currentLength += 1
        }
        if let finding = fuzzer.check(format) {
            print(finding)
            exit(1)
        }
        rounds += 1
    }
}
print("\(rounds) formats, \(fuzzer.parsed) of them predicates, \(fuzzer.answered) answers; nothing found")
