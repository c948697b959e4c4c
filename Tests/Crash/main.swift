import StoreCrashing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Crashes stores and looks at what is left:
//
//     StoreCrash images [COUNT [SEED [RUN]]]    power losses on a simulated disk, from run RUN of a seed on; or one run: images run SEED
//
// Ends with status 1 when something acknowledged was lost, or anything else is wrong.

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "images": exit(crashImages(Array(arguments.dropFirst())))
default:
    say("usage: StoreCrash images [COUNT [SEED [RUN]]] | images run SEED")
    exit(64)
}
