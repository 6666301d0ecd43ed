// swift-tools-version: 6.1

// The manifest of an app that depends on a released version, for Docs/Guides/Install.md; `.ci/pages` compiles it.

// snippet: released
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://git.example/pledge.git", from: "0.1.0")
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [.product(name: "Pledge", package: "pledge")])
    ]
)
// end snippet
