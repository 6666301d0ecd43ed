// swift-tools-version: 6.1

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Compiles Futures where there is a module Combine, and runs the tests of what it has for it. Linux has OpenCombine,
// under that name.
#if os(macOS)
let packages: [Package.Dependency] = []
let combine: [Target] = []
#else
let packages: [Package.Dependency] = [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0")
]
let combine: [Target] = [
    .target(name: "Combine", dependencies: ["OpenCombine"], swiftSettings: settings)
]
#endif

let package = Package(
    name: "PledgeOverCombine",
    platforms: [.macOS(.v15)],
    dependencies: packages,
    targets: combine + [
        .target(name: "CPledgeFutures", path: "Sources/CFutures"),
        .target(
            name: "PledgeFutures",
            dependencies: ["CPledgeFutures"] + combine.map { .init(stringLiteral: $0.name) },
            path: "Sources/Futures",
            swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .testTarget(name: "CombineTests", dependencies: ["PledgeFutures"], swiftSettings: settings),
    ]
)
