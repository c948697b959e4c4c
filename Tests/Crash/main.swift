import StoreCrashing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Crashes stores and looks at what is left. Ends with status 1 when something acknowledged was lost, or anything else is wrong.
let usage = """
    usage: StoreCrash images [COUNT [SEED [RUN]]]   power losses on a simulated disk, from run RUN of the seed on
           StoreCrash images run SEED               one run, by the seed that a finding names
           StoreCrash kill [ROUNDS [SEED]]          kill -9 of a process that commits
           StoreCrash flips [COUNT [SEED]]          every bit of a small store, and COUNT random ones of a large one
    """
let arguments = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
case "images": exit(crashImages(arguments))
case "kill": exit(killRounds(arguments))
case "flips": exit(flipBits(arguments))
case "child":
    guard arguments.count == 3, let seed = UInt64(arguments[1]), let round = UInt64(arguments[2]) else { exit(64) }
    exit(KillChild.run(path: arguments[0], seed: seed, round: round))
default:
    say(usage)
    exit(64)
}
