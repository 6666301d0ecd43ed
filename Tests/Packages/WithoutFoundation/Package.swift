// swift-tools-version: 6.1

import PackageDescription

// A program that takes the modules that do without Foundation. `.ci/run users` looks at what it is linked with.
let package = Package(
    name: "WithoutFoundation",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pledge", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "without-foundation",
            dependencies: [
                .product(name: "PledgeFutures", package: "Pledge"),
                .product(name: "PledgeServices", package: "Pledge"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
