public import Futures
public import HTTPNetworking
import Services

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Fleet {
    /// The base of requests to the fleet; a host is named by its number, as in "http://3.fleet.test".
    public static let base = URL(string: "http://fleet.test")!

    /// Sends a request to the host that it names, or to one that the fleet chooses: the transport of an `HTTPClient`.
    ///
    /// A full queue answers 503, and a host that fails 500; both have no body, as success has.
    ///
    /// - Returns: The response. It rejects with `HTTPRequest.Error` if no transport would send the request, and with an
    ///   `HTTPError` with the code `cannotConnect` or `connectionLost` if the host is down or goes down.
    @Sendable
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let request = request.inCallContext()
        do { try request.validate() } catch { return Future(error: error) }
        let host = request.url.host().flatMap { Int($0.prefix { $0 != "." }) }
        return CallContext.current.exchange(request) {
            send(SimulatedRequest(number: 0, host: host))
                .map { _ in HTTPResponse(status: 200, url: request.url, request: request) }
                .flatMapError { error in Self.answer(to: request, for: error) }
        }
    }

    private static func answer(
        to request: HTTPRequest, for error: any Error
    ) -> Future<HTTPResponse> {
        switch (error as? SimulatedFailure)?.code {
        case .queueFull?:
            Future(value: HTTPResponse(status: 503, url: request.url, request: request))
        case .failed?:
            Future(value: HTTPResponse(status: 500, url: request.url, request: request))
        case .unreachable?: Future(error: HTTPError(code: .cannotConnect, request: request))
        case .connectionLost?: Future(error: HTTPError(code: .connectionLost, request: request))
        case nil: Future(error: error)
        }
    }
}
