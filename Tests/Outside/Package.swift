// swift-tools-version: 6.2
// A package of someone else's: a library of entities and a program that adds its own. `Scripts/outside.sh` builds and runs it.
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
    ],
    swiftLanguageModes: [.v6]
)
