// swift-tools-version: 6.1

import PackageDescription

// An app of ten lines, to measure what it takes to build one.
let package = Package(
    name: "TenLines",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../..")],
    targets: [
        .executableTarget(
            name: "app", dependencies: [.product(name: "Pledge", package: "Pledge")])
    ]
)
