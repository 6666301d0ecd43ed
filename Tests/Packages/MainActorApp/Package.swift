// swift-tools-version: 6.2

import PackageDescription

// An app with the isolation that Xcode's template sets: everything is the main actor's unless it
// says otherwise.
let package = Package(
    name: "MainActorApp",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../../..")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [.product(name: "PledgeArticles", package: "Pledge")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .defaultIsolation(MainActor.self),
            ]
        )
    ]
)
