// swift-tools-version: 6.1

import PackageDescription

// A program without FoundationNetworking, which could not start where there is no libcurl.
let package = Package(
    name: "WithoutLibcurl",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Pledge", path: "../../..")],
    targets: [
        .executableTarget(
            name: "without-libcurl",
            dependencies: [
                .product(name: "PledgeHTTP", package: "Pledge"),
                .product(name: "PledgeLibcurlTransport", package: "Pledge"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
