// swift-tools-version: 6.1

import PackageDescription

// An app in Swift 6 mode that holds the code of the three articles on state.
let package = Package(
    name: "StateArticles",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pledge", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(name: "PledgeArticles", package: "Pledge"),
                .product(name: "PledgeTesting", package: "Pledge"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
