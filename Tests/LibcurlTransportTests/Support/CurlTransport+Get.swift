import Foundation
import Futures
import HTTPNetworking
import PledgeTesting

@testable import LibcurlTransport

extension CurlTransport {
    func get(_ url: URL) -> Future<HTTPResponse> { send(HTTPRequest(.get, url)) }

    func get(_ server: LoopbackServer, _ path: String = "") -> Future<HTTPResponse> {
        get(path.isEmpty ? server.url : server.url.appending(path: path))
    }

    /// A transport with the given limits.
    static func with(
        delivery: Delivery = .concurrent, on scheduler: some Scheduler = .live,
        _ adjust: (inout Configuration) -> Void
    ) throws -> CurlTransport {
        var configuration = Configuration()
        adjust(&configuration)
        return try CurlTransport(configuration, delivery: delivery, on: scheduler)
    }

    /// A transport with the given connection settings.
    static func connecting(
        _ adjust: (inout ConnectionSettings) throws -> Void
    ) throws -> CurlTransport {
        var settings = ConnectionSettings()
        try adjust(&settings)
        return try CurlTransport(connecting: settings)
    }
}
