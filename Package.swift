// swift-tools-version: 6.1

import PackageDescription

/// The language settings of every target: Swift 6 mode, and the upcoming features that make
/// imports and existentials explicit.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A library target at Sources/NAME with the settings above.
func module(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A test target at Tests/NAMETests with the settings above.
func tests(
    of name: String, uses dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.init(stringLiteral: name)] + dependencies,
        exclude: exclude,
        swiftSettings: settings
    )
}

/// A C target that looks up a library of the system at run time, for which old versions of glibc need libdl.
func lookUp(_ name: String) -> Target {
    .target(name: name, linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))])
}

/// A product of another package, which only one of this package's traits asks for.
func product(
    _ name: String, of package: String, trait: String = "AsyncHTTPClient"
) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// The products over which the trait `Observability` observes.
let observability = [
    product("Tracing", of: "swift-distributed-tracing", trait: "Observability"),
    product("Metrics", of: "swift-metrics", trait: "Observability"),
    product("Logging", of: "swift-log", trait: "Observability"),
]

// Only where apps are built for Apple's systems: a resource brings a bundle, and the accessor that SwiftPM writes for
// it brings all of Foundation.
#if os(macOS)
let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
#else
let privacyManifest: [Resource] = []
#endif

let modules = [
    "Composition", "Futures", "CallbackActions", "Services",
    "HTTPNetworking", "HTTPCaching", "HTTPAuthentication", "HTTPBodies", "HTTPClients",
    "InMemoryTransport", "URLSessionTransport", "LibcurlTransport", "AsyncHTTPClientTransport",
    "HTTPTypesConversions", "OpenTelemetryInstrumentation",
    "Stores", "Articles", "Pledge", "PledgeTesting", "Simulation",
]

/// Whether a test target is built: all are, or those that PLEDGE_TESTS names, with spaces between.
///
/// CI builds in several ways, each for a few of the tests.
func isWanted(test name: String) -> Bool {
    guard let names = Context.environment["PLEDGE_TESTS"] else { return true }
    return names.split(separator: " ").contains { $0 == name }
}

let package = Package(
    name: "Pledge",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0, targets: [$0]) }
        + ["quickstart", "simulate"].map { .executable(name: $0, targets: [$0]) },
    traits: [
        .trait(
            name: "AsyncHTTPClient",
            description: "Fills the module AsyncHTTPClientTransport, which is empty otherwise."),
        .trait(
            name: "HTTPTypes",
            description: "Fills the module HTTPTypesConversions, which is empty otherwise."),
        .trait(
            name: "Observability",
            description: "Fills OpenTelemetryInstrumentation, which is empty otherwise."),
    ],
    dependencies: [
        // Fetched only where the trait AsyncHTTPClient is on.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.36.0"),
        // Only where the trait HTTPTypes is on.
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        // Only where the trait Observability is on.
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.10.0"),
    ],
    targets: [
        module("Composition"),
        .target(name: "CFutures"),
        .target(
            name: "Futures", dependencies: ["CFutures"],
            swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        module("CallbackActions", uses: ["Futures"]),
        module("Services", uses: ["Futures"]),
        lookUp("CZlib"),
        lookUp("CBrotli"),
        lookUp("CZstd"),
        .target(
            name: "HTTPNetworking", dependencies: ["Futures", "Composition", "Services"],
            exclude: privacyManifest.isEmpty ? ["PrivacyInfo.xcprivacy"] : [],
            resources: privacyManifest, swiftSettings: settings),
        module("HTTPCaching", uses: ["HTTPNetworking", "Services", "Futures"]),
        module("HTTPAuthentication", uses: ["HTTPNetworking", "Services", "Futures"]),
        module(
            "HTTPBodies",
            uses: ["HTTPNetworking", "Services", "Futures", "CZlib", "CBrotli", "CZstd"]),
        module(
            "HTTPClients",
            uses: [
                "HTTPNetworking", "HTTPCaching", "HTTPAuthentication", "HTTPBodies", "Services",
                "Futures",
            ]),
        module("InMemoryTransport", uses: ["HTTPNetworking", "Services", "Futures"]),
        module("URLSessionTransport", uses: ["HTTPNetworking", "Services", "Futures"]),
        // Looks the system's libcurl up at run time, for which old versions of glibc need libdl.
        .target(
            name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        module("LibcurlTransport", uses: ["CCurl", "HTTPNetworking", "Services", "Futures"]),
        module(
            "AsyncHTTPClientTransport",
            uses: [
                "HTTPNetworking", "Futures", "Services",
                product("AsyncHTTPClient", of: "async-http-client"),
                product("NIOCore", of: "swift-nio"), product("NIOPosix", of: "swift-nio"),
                product("NIOHTTP1", of: "swift-nio"), product("NIOSSL", of: "swift-nio-ssl"),
                product("NIOHTTP2", of: "swift-nio-http2"),
            ]),
        module(
            "HTTPTypesConversions",
            uses: [
                "HTTPNetworking", "Services",
                product("HTTPTypes", of: "swift-http-types", trait: "HTTPTypes"),
            ]),
        module(
            "OpenTelemetryInstrumentation",
            uses: ["HTTPNetworking", "Services", "Futures"] + observability),
        module("Stores", uses: ["Futures"]),
        module(
            "Articles",
            uses: ["Composition", "Futures", "CallbackActions", "HTTPNetworking", "Stores"]),
        module(
            "Pledge",
            uses: [
                "Composition", "Futures", "CallbackActions", "Services",
                "HTTPNetworking", "HTTPCaching", "HTTPAuthentication", "HTTPBodies", "HTTPClients",
                "InMemoryTransport", "URLSessionTransport", "LibcurlTransport",
                "Stores", "Articles",
            ]
        ),
        module("PledgeTesting", uses: ["Pledge"]),
        module("Simulation", uses: ["HTTPNetworking", "Services", "Futures"]),
        .executableTarget(
            name: "quickstart", dependencies: ["Pledge", "AsyncHTTPClientTransport"],
            swiftSettings: settings),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "Simulation", "HTTPAuthentication", "HTTPNetworking", "Services", "Futures",
            ],
            swiftSettings: settings),

        // What the tests of several modules need; not a product.
        .target(
            name: "TestSupport", dependencies: ["Futures", "Services"], path: "Tests/Support",
            swiftSettings: settings),
        tests(of: "Composition", uses: ["TestSupport"]),
        // Disturbs threads where the compiler inserts calls for it.
        .target(name: "CDisturbance", path: "Tests/Disturbance"),
        tests(of: "Futures", uses: ["CDisturbance", "CFutures", "Composition", "TestSupport"]),
        tests(of: "CallbackActions", uses: ["Articles", "Composition", "Futures", "TestSupport"]),
        tests(of: "Services", uses: ["Futures", "TestSupport"]),
        // What the tests of the modules of HTTP need; not a product.
        .target(
            name: "HTTPTestSupport",
            dependencies: ["HTTPNetworking", "Services", "Futures", "TestSupport"],
            path: "Tests/HTTPSupport", swiftSettings: settings),
        // Those of the core look at all that is put around it as well: orders, secrets.
        tests(
            of: "HTTPNetworking",
            uses: [
                "HTTPCaching", "HTTPAuthentication", "HTTPBodies", "Composition", "Futures",
                "Services", "HTTPTestSupport", "TestSupport",
            ]),
        tests(
            of: "HTTPCaching",
            uses: [
                "HTTPNetworking", "HTTPAuthentication", "Futures", "Services", "HTTPTestSupport",
                "TestSupport",
            ]),
        tests(
            of: "HTTPAuthentication",
            uses: [
                "HTTPNetworking", "HTTPCaching", "Futures", "Services", "HTTPTestSupport",
                "TestSupport",
            ]),
        tests(
            of: "HTTPBodies",
            uses: ["HTTPNetworking", "Futures", "Services", "HTTPTestSupport", "TestSupport"]),
        tests(
            of: "HTTPClients",
            uses: ["HTTPNetworking", "Services", "Futures", "PledgeTesting", "TestSupport"]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "HTTPNetworking", "HTTPCaching", "HTTPAuthentication", "HTTPBodies", "Services",
                "Futures", "TestSupport",
            ],
            path: "Tests/Fuzz",
            exclude: ["Corpus"],
            swiftSettings: settings
        ),
        tests(
            of: "InMemoryTransport", uses: ["HTTPNetworking", "Futures", "Services", "TestSupport"]),
        tests(
            of: "URLSessionTransport",
            uses: [
                "HTTPBodies", "HTTPNetworking", "HTTPAuthentication", "Futures", "Services",
                "PledgeTesting", "HTTPTestSupport", "TestSupport",
            ]),
        tests(
            of: "LibcurlTransport",
            uses: [
                "CCurl", "HTTPNetworking", "HTTPCaching", "HTTPAuthentication", "HTTPClients",
                "Futures", "Services",
                "PledgeTesting", "HTTPTestSupport", "TestSupport",
            ]),
        // Empty without the trait.
        tests(
            of: "AsyncHTTPClientTransport",
            uses: [
                "HTTPNetworking", "Futures", "Services", "PledgeTesting", "HTTPTestSupport",
                "TestSupport",
                product("AsyncHTTPClient", of: "async-http-client"),
                product("NIOCore", of: "swift-nio"), product("NIOPosix", of: "swift-nio"),
                product("NIOHTTP1", of: "swift-nio"), product("NIOSSL", of: "swift-nio-ssl"),
                product("NIOHTTP2", of: "swift-nio-http2"),
                product("Tracing", of: "swift-distributed-tracing", trait: "Observability"),
            ],
            exclude: ["Certificates"]),
        // Empty without the trait.
        tests(
            of: "HTTPTypesConversions",
            uses: [
                "HTTPNetworking", "Services", "Futures", "Pledge", "TestSupport",
                product("HTTPTypes", of: "swift-http-types", trait: "HTTPTypes"),
            ]),
        // Empty without the trait.
        tests(
            of: "OpenTelemetryInstrumentation",
            uses: [
                "HTTPNetworking", "Services", "Futures", "InMemoryTransport", "Pledge",
                "PledgeTesting", "HTTPTestSupport", "TestSupport",
                product(
                    "InMemoryTracing", of: "swift-distributed-tracing", trait: "Observability"),
                product("MetricsTestKit", of: "swift-metrics", trait: "Observability"),
                product("InMemoryLogging", of: "swift-log", trait: "Observability"),
            ] + observability),
        tests(of: "Stores", uses: ["Futures", "TestSupport"]),
        tests(
            of: "Articles",
            uses: [
                "CallbackActions", "Composition", "Futures", "HTTPNetworking", "Stores",
                "TestSupport",
            ]),
        tests(of: "PledgeTesting", uses: ["Pledge", "TestSupport"]),
        tests(
            of: "Simulation",
            uses: ["HTTPClients", "HTTPNetworking", "Services", "Futures", "TestSupport"]),
        .testTarget(
            name: "quickstartTests",
            dependencies: ["quickstart", "Pledge", "PledgeTesting", "TestSupport"],
            exclude: ["expected-output.txt"],
            swiftSettings: settings
        ),
        tests(of: "simulate", uses: ["Simulation", "Services", "Futures", "TestSupport"]),
        .testTarget(
            name: "Examples",
            dependencies: ["quickstart", "Pledge", "PledgeTesting", "Simulation", "TestSupport"],
            path: "Docs/Examples",
            exclude: ["Outputs"],
            swiftSettings: settings
        ),
    ].filter { !$0.isTest || isWanted(test: $0.name) }
)
