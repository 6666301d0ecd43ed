// swift-tools-version: 6.1

import PackageDescription

// One call of a client, counted: frames, allocations and locks.
let package = Package(
    name: "OneCall",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../..")],
    targets: [
        // A link to the benchmarks' own.
        .target(name: "CAllocations"),
        .target(name: "CCounts"),
        .executableTarget(
            name: "one-call",
            dependencies: ["CAllocations", "CCounts", .product(name: "Pledge", package: "Pledge")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
