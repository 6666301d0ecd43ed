// swift-tools-version: 6.1

import PackageDescription

// One call of a client, counted: frames, allocations and locks.
let package = Package(
    name: "OneCall",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../..")],
    targets: [
        .target(name: "CCounts"),
        .executableTarget(
            name: "one-call",
            dependencies: ["CCounts", .product(name: "Pledge", package: "Pledge")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
