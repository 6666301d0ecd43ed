// The manifest of an app beside a clone, for Docs/Guides/Install.md; `.ci/run users` builds the README's first
// program with it.

// snippet: path
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pledge", path: "../Pledge")
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [.product(name: "Pledge", package: "Pledge")])
    ]
)
// end snippet
