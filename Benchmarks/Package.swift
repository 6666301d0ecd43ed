// swift-tools-version: 6.1

import PackageDescription

/// A product of a peer, which only the trait `Peers` asks for.
func peer(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Peers"]))
}

// A package of its own, so that what measures Pledge never becomes a dependency of it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Peers", description: "Other futures libraries and HTTP clients beside Pledge")
    ],
    dependencies: [
        .package(
            name: "Pledge", path: "..",
            traits: [.trait(name: "AsyncHTTPClient", condition: .when(traits: ["Peers"]))]),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    ],
    targets: [
        // malloc and its kin, counted; nothing on a platform whose malloc is not glibc's.
        .target(name: "CAllocations"),
        // A server for the HTTP clients.
        .target(name: "CLoopback"),
        // What libcurl costs by itself.
        .target(
            name: "CLibcurlLoop", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CAllocations",
                "CLoopback",
                "CLibcurlLoop",
                .product(name: "Pledge", package: "Pledge"),
                .product(name: "PledgeObservation", package: "Pledge"),
                .product(name: "PledgeStorage", package: "Pledge"),
                .product(name: "PledgeStores", package: "Pledge"),
                .product(name: "PledgeSimulation", package: "Pledge"),
                .product(name: "PledgeTesting", package: "Pledge"),
                peer("PledgeAsyncHTTPClientTransport", of: "Pledge"),
                peer("NIOCore", of: "swift-nio"),
                peer("NIOPosix", of: "swift-nio"),
                peer("OpenCombine", of: "OpenCombine"),
                peer("AsyncHTTPClient", of: "async-http-client"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        // Compares stacks over sockets with their simulations.
        .executableTarget(
            name: "validate-simulation",
            dependencies: [
                "CLoopback",
                .product(name: "Pledge", package: "Pledge"),
                .product(name: "PledgeSimulation", package: "Pledge"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        // Simulates what published systems did, and each default beside others.
        .executableTarget(
            name: "simulate",
            dependencies: [
                .product(name: "Pledge", package: "Pledge"),
                .product(name: "PledgeSimulation", package: "Pledge"),
                .product(name: "PledgeTraffic", package: "Pledge"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .testTarget(name: "benchmarksTests", dependencies: ["benchmarks"]),
        .testTarget(name: "simulateTests", dependencies: ["simulate"]),
        .testTarget(name: "validate-simulationTests", dependencies: ["validate-simulation"]),
    ]
)
