// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "GeneratedModel",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "graben", path: "../..")],
    targets: [
        .executableTarget(
            name: "Town",
            dependencies: [.product(name: "Graben", package: "graben")],
            // What the plugin reads is no resource of the program.
            exclude: ["Town.xcdatamodeld"],
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "GrabenModelPlugin", package: "graben")])
    ],
    swiftLanguageModes: [.v6]
)
