import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport

@testable import PledgeLibcurlTransport

extension CurlTransport {
    func get(_ url: URL) -> Future<HTTPResponse> { send(HTTPRequest(.get, url)) }

    func get(_ server: LoopbackServer, _ path: String = "") -> Future<HTTPResponse> {
        get(path.isEmpty ? server.url : server.url.appending(path: path))
    }

    /// A transport that only the ``watchdog`` ends.
    static var patient: CurlTransport { try! with { _ in } }

    /// A transport with the given limits, and none else in real time.
    static func with(
        delivery: Delivery = .concurrent, on scheduler: some FutureScheduler = .live,
        _ adjust: (inout Configuration) -> Void
    ) throws -> CurlTransport {
        var configuration = Configuration.patient
        adjust(&configuration)
        return try CurlTransport(configuration, delivery: delivery, on: scheduler)
    }

    /// A transport with the given connection settings, and no limit in real time.
    static func connecting(
        _ adjust: (inout ConnectionSettings) throws -> Void
    ) throws -> CurlTransport {
        var settings = ConnectionSettings()
        try adjust(&settings)
        return try CurlTransport(.patient, connecting: settings)
    }
}

extension CurlTransport.Configuration {
    static let patient = Self(
        connectTimeout: watchdog, connectionWaitTimeout: nil, idleTimeout: nil,
        countsSilentConnections: true, keepAlive: watchdog)
}

#if os(Linux)
extension SecureSite {
    /// A transport that trusts the site's authority alone, and uses no proxy.
    func transport(
        _ adjust: (inout ConnectionSettings) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        var settings = settings
        try adjust(&settings)
        return try CurlTransport(.patient, connecting: settings)
    }
}
#endif
