// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that what measures Pledge never becomes a dependency of it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "..")],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                .product(name: "Futures", package: "Pledge"),
                .product(name: "Composition", package: "Pledge"),
                .product(name: "Stores", package: "Pledge"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
