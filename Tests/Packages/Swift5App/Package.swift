// swift-tools-version: 6.1

// snippet: settings
import PackageDescription

// An app that has not moved to Swift 6 yet.
let package = Package(
    name: "Swift5App",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../../..")],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [.product(name: "PledgeArticles", package: "Pledge")],
            swiftSettings: [
                .swiftLanguageMode(.v5),
                // Without it the same code compiles, and warns at `chain(Endpoint.product, …)`.
                .enableUpcomingFeature("InferSendableFromCaptures"),
            ]
        )
    ]
)
// end snippet
