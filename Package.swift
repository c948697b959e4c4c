// swift-tools-version: 6.2
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

let swift: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "graben",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Graben", targets: ["Graben"]),
        .executable(name: "graben", targets: ["GrabenCLI"]),
    ],
    targets: [
        .target(name: "CGraben"),
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(name: "GrabenLog", dependencies: ["CGraben", "CLZ4"], swiftSettings: swift),
        .target(name: "GrabenPredicate", dependencies: ["GrabenLog"], swiftSettings: swift),
        .target(name: "GrabenModel", dependencies: ["GrabenLog", "GrabenPredicate", "CExpat"], swiftSettings: swift),
        .target(name: "Graben", dependencies: ["GrabenLog", "GrabenPredicate", "GrabenModel", "CGraben"], swiftSettings: swift),
        .target(name: "GrabenDrawing", swiftSettings: swift),
        .target(name: "GrabenModelGeneration", dependencies: ["GrabenLog", "GrabenModel", "GrabenPredicate"], swiftSettings: swift),
        .executableTarget(
            name: "GrabenCLI",
            dependencies: ["Graben", "GrabenDrawing", "GrabenLog", "GrabenModel", "GrabenModelGeneration", "GrabenPredicate"],
            swiftSettings: swift),
        .executableTarget(name: "Demo", dependencies: ["Graben", "GrabenDrawing"], path: "Examples/Demo", swiftSettings: swift),
        .executableTarget(name: "QuickStart", dependencies: ["Graben"], path: "Examples/QuickStart", swiftSettings: swift),

        .target(name: "GrabenFixtures", path: "Tests/Support", swiftSettings: swift),
        .target(
            name: "CPeers", dependencies: ["CGraben"], path: "Benchmarks/CPeers", cSettings: [.define("_GNU_SOURCE")] + sqlite.c + lmdb.c,
            linkerSettings: sqlite.linker + lmdb.linker),
        .executableTarget(name: "PeerProbe", dependencies: ["CPeers"], path: "Benchmarks/PeerProbe"),
        .executableTarget(
            name: "GrabenBenchmarks", dependencies: ["Graben", "GrabenLog", "GrabenModel", "GrabenFixtures", "CGraben", "CPeers"],
            path: "Benchmarks/GrabenBenchmarks",
            swiftSettings: swift),

        .testTarget(name: "GrabenLogTests", dependencies: ["GrabenLog", "CGraben", "GrabenFixtures"], swiftSettings: swift),
        .testTarget(
            name: "GrabenPredicateTests", dependencies: ["GrabenPredicate", "GrabenLog", "GrabenFixtures"], exclude: ["Cases"],
            swiftSettings: swift),
        .testTarget(name: "GrabenModelTests", dependencies: ["GrabenModel", "GrabenFixtures"], swiftSettings: swift),
        .testTarget(
            name: "GrabenModelGenerationTests", dependencies: ["Graben", "GrabenModel", "GrabenModelGeneration"], swiftSettings: swift),
        .testTarget(name: "GrabenTests", dependencies: ["Graben", "GrabenModel", "GrabenLog", "GrabenFixtures"], swiftSettings: swift),
        .testTarget(name: "GrabenCLITests", dependencies: ["GrabenCLI", "GrabenFixtures"], swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
