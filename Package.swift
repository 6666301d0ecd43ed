// swift-tools-version: 6.1

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The name of the module at Sources/FOLDER, which begins with Pledge: an app may have a target with the short name.
func name(_ folder: String) -> String { folder.hasPrefix("Pledge") ? folder : "Pledge" + folder }

/// Dependencies on modules, by their folders, and on targets outside Sources and products, by themselves.
func dependencies(_ folders: [String], _ others: [Target.Dependency]) -> [Target.Dependency] {
    folders.map { .init(stringLiteral: name($0)) } + others
}

func module(
    _ folder: String, uses folders: [String] = [], and others: [Target.Dependency] = [],
    exclude: [String] = [], resources: [Resource] = [], more: [SwiftSetting] = []
) -> Target {
    .target(
        name: name(folder), dependencies: dependencies(folders, others), path: "Sources/\(folder)",
        exclude: exclude, resources: resources, swiftSettings: settings + more)
}

/// The tests of a module, at Tests/FOLDERTests.
func tests(
    of folder: String, uses folders: [String] = [], and others: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(folder)Tests",
        dependencies: dependencies(
            [folder] + folders.filter { $0 != folder }, ["TestSupport"] + others),
        exclude: exclude, swiftSettings: settings)
}

/// A C module at Sources/CFOLDER; looking up a library of the system needs libdl in old versions of glibc.
func cModule(_ folder: String) -> Target {
    .target(
        name: "CPledge\(folder)", path: "Sources/C\(folder)",
        linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))])
}

/// Products of another package, for which only a trait of this package asks.
func products(_ names: String..., of package: String, for trait: String) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package, condition: .when(traits: [trait])) }
}

let nio =
    products("NIOCore", "NIOPosix", "NIOHTTP1", of: "swift-nio", for: "AsyncHTTPClient")
    + products("NIOSSL", of: "swift-nio-ssl", for: "AsyncHTTPClient")
    + products("NIOHTTP2", of: "swift-nio-http2", for: "AsyncHTTPClient")
    + products("AsyncHTTPClient", of: "async-http-client", for: "AsyncHTTPClient")
let httpTypes = products("HTTPTypes", of: "swift-http-types", for: "HTTPTypes")
let tracing = products("Tracing", of: "swift-distributed-tracing", for: "Observability")
let observability =
    tracing + products("Metrics", of: "swift-metrics", for: "Observability")
    + products("Logging", of: "swift-log", for: "Observability")
let observed =
    products("InMemoryTracing", of: "swift-distributed-tracing", for: "Observability")
    + products("MetricsTestKit", of: "swift-metrics", for: "Observability")
    + products("InMemoryLogging", of: "swift-log", for: "Observability")

// A resource brings a bundle, and its accessor all of Foundation: only where apps are built for Apple's systems.
#if os(macOS)
let (resources, excluded): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
let (resources, excluded): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let messages = ["HTTPMessages", "HTTPText", "Services", "Futures"]
let transport = ["HTTPTransportKit"] + messages
let http = ["HTTPNetworking"] + transport
let client = http + ["Admission", "HTTPCaching", "HTTPAuthentication", "HTTPBodies", "HTTPClients"]
let all =
    client + [
        "Storage", "Composition", "Stores", "Articles", "Observation", "Pledge", "PledgeHTTP",
        "PledgeTesting", "Traffic",
        "TransportChecks",
    ]

/// Whether a target is built: all are, or the test targets that PLEDGE_TESTS names, with spaces between.
func isWanted(_ target: Target) -> Bool {
    guard target.isTest, let names = Context.environment["PLEDGE_TESTS"] else { return true }
    return names.split(separator: " ").contains { $0 == target.name }
}

let package = Package(
    name: "Pledge",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        "Pledge", "PledgeArticles", "PledgeHTTP", "PledgeObservation", "PledgeStorage",
        "PledgeStores", "PledgeTesting", "PledgeTraffic", "PledgeTransportChecks",
        "PledgeSimulation", "PledgeLibcurlTransport", "PledgeURLSessionTransport",
        "PledgeAsyncHTTPClientTransport",
        "PledgeHTTPTypesConversions",
        "PledgeOpenTelemetryInstrumentation",
    ].map { .library(name: $0, targets: [$0]) } + [
        .library(name: "PledgeFutures", targets: ["Futures", "Composition"].map(name)),
        .library(name: "PledgeServices", targets: ["Services", "Admission"].map(name)),
        .executable(name: "quickstart", targets: ["PledgeQuickstart"]),
    ],
    traits: [
        .trait(name: "AsyncHTTPClient", description: "Fills PledgeAsyncHTTPClientTransport."),
        .trait(name: "HTTPTypes", description: "Fills PledgeHTTPTypesConversions."),
        .trait(name: "Observability", description: "Fills PledgeOpenTelemetryInstrumentation."),
    ],
    // Each is fetched only where its trait is on.
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.10.0"),
    ],
    targets: [
        module("Composition"),
        cModule("Futures"),
        module(
            "Futures", and: ["CPledgeFutures"],
            more: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        module("Services", uses: ["Futures"]),
        module("Admission", uses: ["Services", "Futures"]),
        module("HTTPText"),
        module(
            "HTTPMessages", uses: ["HTTPText", "Services", "Futures"], exclude: excluded,
            resources: resources),
        module("HTTPTransportKit", uses: messages, exclude: excluded, resources: resources),
        module("HTTPNetworking", uses: transport),
        module("HTTPCaching", uses: http),
        module("HTTPAuthentication", uses: http),
        cModule("Zlib"), cModule("Brotli"), cModule("Zstd"),
        module("HTTPBodies", uses: http, and: ["CPledgeZlib", "CPledgeBrotli", "CPledgeZstd"]),
        module(
            "HTTPClients",
            uses: http + ["Admission", "HTTPCaching", "HTTPAuthentication", "HTTPBodies"]),
        module("Observation", uses: http + ["HTTPClients"]),
        module("Storage", uses: client, exclude: excluded, resources: resources),
        module("InMemoryTransport", uses: transport),
        module("URLSessionTransport", uses: http),
        cModule("Curl"),
        module("LibcurlTransport", uses: transport, and: ["CPledgeCurl"]),
        module("AsyncHTTPClientTransport", uses: transport, and: nio),
        module("HTTPTypesConversions", uses: messages, and: httpTypes),
        module("OpenTelemetryInstrumentation", uses: http, and: observability),
        module("Stores", uses: ["Futures"]),
        module("Traffic", uses: http + ["Admission", "HTTPClients"]),
        module("PledgeHTTP", uses: client),
        module(
            "Pledge",
            uses: client + [
                "PledgeHTTP", "URLSessionTransport", "LibcurlTransport", "Composition",
            ]),
        module("Articles", uses: http + ["Pledge", "Composition", "Stores"]),
        cModule("Testing"),
        module(
            "PledgeTesting",
            uses: http + [
                "Pledge", "Observation", "Stores", "HTTPBodies", "Simulation", "InMemoryTransport",
            ],
            and: ["CPledgeTesting"]),
        module("TransportChecks", uses: ["Pledge", "PledgeTesting"]),
        module("Simulation", uses: transport + ["Admission"]),
        .executableTarget(
            name: "PledgeQuickstart",
            dependencies: [
                "Pledge", "PledgeArticles", "PledgeAsyncHTTPClientTransport", "PledgeObservation",
                "PledgeTesting",
            ],
            path: "Sources/quickstart", swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["PledgeFutures", "PledgeServices", "CTestSupport"],
            path: "Tests/Support", swiftSettings: settings),
        .target(
            name: "HTTPTestSupport",
            dependencies: dependencies(http + ["Storage"], ["TestSupport"]),
            path: "Tests/HTTPSupport", swiftSettings: settings),
        .target(
            name: "ServicesTestSupport",
            dependencies: dependencies(["Services", "Futures"], ["TestSupport"]),
            path: "Tests/ServicesSupport", swiftSettings: settings),
        .target(name: "CTestSupport", path: "Tests/CSupport"),
        tests(of: "Composition"),
        tests(of: "Futures", uses: ["Composition"], and: ["CTestSupport", "CPledgeFutures"]),
        tests(of: "Services", uses: ["Admission", "Futures"], and: ["ServicesTestSupport"]),
        tests(of: "Admission", uses: ["Services", "Futures"], and: ["ServicesTestSupport"]),
        tests(
            of: "HTTPNetworking", uses: client + ["Composition", "Observation", "Traffic"],
            and: ["HTTPTestSupport"]),
        tests(of: "HTTPCaching", uses: client + ["Storage"], and: ["HTTPTestSupport"]),
        tests(
            of: "HTTPAuthentication", uses: client + ["Storage"], and: ["HTTPTestSupport"]),
        tests(
            of: "HTTPBodies", uses: client + ["Storage", "InMemoryTransport"],
            and: ["HTTPTestSupport"]),
        tests(of: "HTTPClients", uses: all, and: ["HTTPTestSupport"]),
        tests(
            of: "Observation", uses: ["Admission", "Services", "Futures", "Traffic"],
            and: ["ServicesTestSupport"]),
        tests(
            of: "Traffic", uses: ["Admission", "Services", "Futures"],
            and: ["ServicesTestSupport"]),
        tests(of: "InMemoryTransport", uses: http),
        tests(of: "URLSessionTransport", uses: all, and: ["HTTPTestSupport"]),
        tests(of: "LibcurlTransport", uses: all, and: ["CPledgeCurl", "HTTPTestSupport"]),
        tests(
            of: "AsyncHTTPClientTransport", uses: all, and: ["HTTPTestSupport"] + nio + tracing,
            exclude: ["Certificates"]),
        tests(of: "HTTPTypesConversions", uses: all, and: httpTypes),
        tests(
            of: "OpenTelemetryInstrumentation", uses: all,
            and: ["HTTPTestSupport"] + observed + observability),
        tests(of: "Stores", uses: ["Futures"]),
        tests(of: "Articles", uses: all),
        tests(of: "PledgeTesting", uses: all),
        tests(of: "TransportChecks", uses: all),
        tests(of: "Simulation", uses: client + ["Traffic"]),
        .testTarget(
            name: "FuzzTests",
            dependencies: dependencies(client + ["Observation", "Storage"], ["TestSupport"]),
            path: "Tests/Fuzz", exclude: ["Corpus"], swiftSettings: settings),
        .testTarget(
            name: "quickstartTests",
            dependencies: dependencies(all, ["PledgeQuickstart", "TestSupport"]),
            exclude: ["expected-output.txt"], swiftSettings: settings),
        .testTarget(
            name: "Examples",
            dependencies: dependencies(
                all + ["Simulation"], ["PledgeQuickstart", "TestSupport", "HTTPTestSupport"]),
            path: "Docs/Examples", exclude: ["Outputs"], swiftSettings: settings),
    ].filter(isWanted)
)
