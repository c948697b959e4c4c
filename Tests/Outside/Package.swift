// swift-tools-version: 6.2
// A package of someone else's: a library of entities, a program that adds its own, and one whose classes are generated. `Scripts/outside.sh` builds and runs it.
import PackageDescription

// By version from GRABEN_URL, as users have it, or by path from GRABEN_PATH.
let graben: Package.Dependency =
    if let path = Context.environment["GRABEN_PATH"] {
        .package(name: "graben", path: path)
    } else {
        .package(url: Context.environment["GRABEN_URL"] ?? "", from: "1.0.0")
    }

let package = Package(
    name: "outside",
    products: [.library(name: "Shapes", targets: ["Shapes"])],
    dependencies: [graben],
    targets: [
        .target(name: "Shapes", dependencies: [.product(name: "Graben", package: "graben")]),
        .executableTarget(name: "Editor", dependencies: ["Shapes"]),
        // The target of Examples/GeneratedModel, which the script copies here, so that Graben is built once for both.
        .executableTarget(
            name: "Town",
            dependencies: [.product(name: "Graben", package: "graben")],
            exclude: ["Town.xcdatamodeld"],
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "GrabenModelPlugin", package: "graben")]),
    ],
    swiftLanguageModes: [.v6]
)
