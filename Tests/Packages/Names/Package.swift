// swift-tools-version: 6.1

import PackageDescription

/// Targets that have the names of Pledge's folders.
let neighbours = [
    "Articles", "Composition", "CZlib", "Futures", "quickstart", "Services", "Simulation", "Stores",
    "Traffic",
]

#if canImport(Darwin)
let combine: [Target] = []
#else
// Apple's framework has no other stand-in on Linux.
let combine: [Target] = [.target(name: "Combine", path: "Combine")]
#endif

// An app whose targets, and whose other imports, have names that could clash with Pledge's.
let package = Package(
    name: "Names",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../../..")],
    targets: combine + neighbours.map { .target(name: $0) } + [
        .executableTarget(
            name: "app",
            dependencies: (neighbours + combine.map(\.name)).map { .init(stringLiteral: $0) }
                + [.product(name: "Pledge", package: "Pledge")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
