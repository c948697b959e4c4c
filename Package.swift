// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The benchmarks compare with SQLite and LMDB where their development packages are installed; each is left out where it is not.
func peer(_ header: String, _ library: String, _ macro: String) -> (c: [CSetting], linker: [LinkerSetting]) {
    let folders = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"]
    guard folders.contains(where: { FileManager.default.fileExists(atPath: "\($0)/\(header)") }) else { return ([], []) }
    return ([.define(macro)], [.linkedLibrary(library)])
}
let sqlite = peer("sqlite3.h", "sqlite3", "GRABEN_PEER_SQLITE")
let lmdb = peer("lmdb.h", "lmdb", "GRABEN_PEER_LMDB")

/// Where the toolchain keeps the SwiftSyntax its own macros are built with: the folder `lib/swift/host` of the toolchain that runs this
/// manifest, wherever it is installed. The package description library that is loaded into this process lies in the same `lib/swift`;
/// where it cannot be found, `swiftc` in PATH, its links followed, shows the way. GRABEN_TOOLCHAIN names another `usr` folder.
func swiftSyntaxFolder() -> String? {
    let environment = ProcessInfo.processInfo.environment
    var libraries: [String] = []
    if let chosen = environment["GRABEN_TOOLCHAIN"] {
        libraries = ["\(chosen)/lib/swift"]
    } else {
        #if canImport(Darwin)
            let images = (0..<_dyld_image_count()).compactMap { _dyld_get_image_name($0).map { String(cString: $0) } }
        #else
            let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
            let images = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
        #endif
        for image in images {
            if let end = image.range(of: "/pm/ManifestAPI/") { libraries.append(String(image[..<end.lowerBound])) }
        }
        for folder in (environment["PATH"] ?? "").split(separator: ":") {
            let compiler = URL(fileURLWithPath: "\(folder)/swiftc").resolvingSymlinksInPath()
            libraries.append(compiler.deletingLastPathComponent().deletingLastPathComponent().path + "/lib/swift")
        }
    }
    let folders = libraries.map { "\($0)/host" }
    return folders.first { FileManager.default.fileExists(atPath: "\($0)/SwiftSyntaxMacros.swiftmodule") }
}
let swiftSyntax = swiftSyntaxFolder()
if swiftSyntax == nil {
    print("This Swift toolchain has no SwiftSyntax (usr/lib/swift/host), so Graben is built without @Entity and its other macros.")
}

let isStatic = ProcessInfo.processInfo.environment["GRABEN_STATIC"] == "1"
let swift: [SwiftSetting] =
    [.treatAllWarnings(as: .error)] + (isStatic ? [.unsafeFlags(["-Xfrontend", "-function-sections"])] : [])
/// For targets that use the macros, or declare them: `#if GRABEN_MACROS` is false where they cannot be built.
let macroDefines: [SwiftSetting] = swiftSyntax == nil ? [] : [.define("GRABEN_MACROS")]
let macroUsing: [SwiftSetting] = swift + macroDefines
var macroTargets: [Target] = []
if let folder = swiftSyntax {
    let flags: [String] = [
        "-L", folder, "-Xlinker", "-rpath", "-Xlinker", folder, "-lSwiftSyntax", "-lSwiftSyntaxMacros", "-lSwiftSyntaxBuilder",
        "-lSwiftDiagnostics", "-lSwiftCompilerPluginMessageHandling",
    ]
    let compiling: [SwiftSetting] = swift + [.unsafeFlags(["-I", folder])]
    macroTargets = [.macro(name: "GrabenMacros", swiftSettings: compiling, linkerSettings: [.unsafeFlags(flags)])]
}
let macroDependencies: [Target.Dependency] = macroTargets.map { .target(name: $0.name) }
/// `GRABEN_STATIC=1` links the command line without any shared library, and with the functions that a look into a store runs side by side
/// (`Scripts/function-order.sh`): the system maps what is about each place that is touched, which was half of the program (Linux only).
let toolLinking: [LinkerSetting] =
    isStatic
    ? [
        .unsafeFlags([
            "-static-executable", "-use-ld=lld", "-Xlinker",
            "--symbol-ordering-file=\(Context.packageDirectory)/Scripts/function-order.txt", "-Xlinker", "--no-warn-symbol-ordering",
        ])
    ] : []
/// What declares its classes by `@Entity`.
if swiftSyntax != nil {
    macroTargets += [
        .executableTarget(name: "QuickStart", dependencies: ["Graben"], path: "Examples/QuickStart", swiftSettings: macroUsing),
        .executableTarget(name: "Demo", dependencies: ["Graben", "GrabenDrawing"], path: "Examples/Demo", swiftSettings: macroUsing),
        .executableTarget(
            name: "GrabenBenchmarks", dependencies: ["Graben", "GrabenLog", "GrabenModel", "GrabenFixtures", "CGraben", "CPeers"],
            path: "Benchmarks/GrabenBenchmarks", swiftSettings: macroUsing),
        .testTarget(
            name: "GrabenTests", dependencies: ["Graben", "GrabenModel", "GrabenLog", "GrabenFixtures"], swiftSettings: macroUsing),
        .testTarget(
            name: "GrabenFoundationTests", dependencies: ["Graben", "GrabenFoundation", "GrabenFixtures"], swiftSettings: macroUsing),
        .testTarget(name: "GrabenMacroTests", dependencies: ["Graben", "GrabenFixtures"], swiftSettings: macroUsing),
    ]
}

let package = Package(
    name: "graben",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Graben", targets: ["Graben"]),
        .library(name: "GrabenFoundation", targets: ["GrabenFoundation"]),
        .executable(name: "graben", targets: ["GrabenCLI"]),
        .plugin(name: "GrabenModelPlugin", targets: ["GrabenModelPlugin"]),
    ],
    targets: [
        .target(name: "CGraben"),
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(name: "GrabenLog", dependencies: ["CGraben", "CLZ4"], swiftSettings: swift),
        .target(name: "GrabenPredicate", dependencies: ["GrabenLog"], swiftSettings: swift),
        .target(name: "GrabenModel", dependencies: ["GrabenLog", "GrabenPredicate", "CExpat"], swiftSettings: swift),
        .target(
            name: "Graben",
            dependencies: ["GrabenLog", "GrabenPredicate", "GrabenModel", "CGraben"] + macroDependencies,
            swiftSettings: macroUsing),
        .target(name: "GrabenFoundation", dependencies: ["Graben", "GrabenLog", "GrabenPredicate"], swiftSettings: swift),
        .target(name: "GrabenDrawing", swiftSettings: swift),
        .target(name: "GrabenModelGeneration", dependencies: ["GrabenLog", "GrabenModel", "GrabenPredicate"], swiftSettings: swift),
        .executableTarget(
            name: "GrabenCLI",
            dependencies: ["Graben", "GrabenDrawing", "GrabenLog", "GrabenModel", "GrabenModelGeneration", "GrabenPredicate"],
            swiftSettings: swift, linkerSettings: toolLinking),
        .executableTarget(name: "GrabenModelTool", dependencies: ["GrabenModel", "GrabenModelGeneration"], swiftSettings: swift),
        .plugin(
            name: "GrabenModelPlugin", capability: .buildTool(), dependencies: ["GrabenModelTool"], path: "Sources/GrabenModelPlugin"),

        .target(name: "GrabenFixtures", path: "Tests/Support", swiftSettings: swift),
        .target(
            name: "PredicateFuzzing", dependencies: ["GrabenPredicate", "GrabenLog", "GrabenFixtures"], path: "Tests/Fuzzing",
            swiftSettings: swift),
        .executableTarget(
            name: "PredicateFuzz", dependencies: ["PredicateFuzzing", "GrabenFixtures"], path: "Tests/Fuzz", swiftSettings: swift),
        .target(
            name: "StoreCrashing", dependencies: ["GrabenLog", "GrabenFixtures", "CGraben"], path: "Tests/Crashing", swiftSettings: swift),
        .executableTarget(
            name: "StoreCrash", dependencies: ["StoreCrashing", "GrabenLog", "GrabenFixtures"], path: "Tests/Crash", swiftSettings: swift),
        .target(
            name: "CPeers", dependencies: ["CGraben"], path: "Benchmarks/CPeers", cSettings: [.define("_GNU_SOURCE")] + sqlite.c + lmdb.c,
            linkerSettings: sqlite.linker + lmdb.linker),
        .executableTarget(name: "PeerProbe", dependencies: ["CPeers"], path: "Benchmarks/PeerProbe"),

        .executableTarget(name: "LogProbe", dependencies: ["GrabenLog"], path: "Tests/LogProbe", swiftSettings: swift),
        .testTarget(
            name: "GrabenLogTests", dependencies: ["GrabenLog", "CGraben", "GrabenFixtures", "LogProbe", "StoreCrashing", "StoreCrash"],
            swiftSettings: swift),
        .testTarget(
            name: "GrabenPredicateTests", dependencies: ["GrabenPredicate", "GrabenLog", "GrabenFixtures", "PredicateFuzzing"],
            exclude: ["Cases"],
            swiftSettings: swift),
        .testTarget(name: "GrabenModelTests", dependencies: ["GrabenModel", "GrabenFixtures"], swiftSettings: swift),
        .testTarget(
            name: "GrabenModelGenerationTests", dependencies: ["Graben", "GrabenModel", "GrabenModelGeneration", "GrabenFixtures"],
            exclude: ["Golden"], swiftSettings: swift),
        .testTarget(
            name: "GrabenCLITests", dependencies: ["GrabenCLI", "Graben", "GrabenLog", "GrabenModel", "GrabenFixtures"],
            swiftSettings: swift),
    ] + macroTargets,
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
