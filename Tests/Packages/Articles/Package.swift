// swift-tools-version: 6.1

import PackageDescription

// An app in Swift 6 mode that holds the code of the two articles Pledge grew from.
let package = Package(
    name: "Articles",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pledge", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [.product(name: "PledgeArticles", package: "Pledge")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
