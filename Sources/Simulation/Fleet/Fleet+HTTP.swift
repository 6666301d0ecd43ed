public import PledgeFutures
public import PledgeHTTPNetworking
import PledgeServices

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Fleet {
    /// The base of requests to the fleet; a host is named by its number or its name, as in "http://3.fleet.test" and
    /// "http://database.fleet.test".
    public static let base = URL(string: "http://fleet.test")!

    // Disfavoured, so that `stack(.retry(), over: fleet.send)` needs no type.

    /// Sends a request to the host that it names, or to one that the fleet chooses: the transport of an `HTTPClient`.
    ///
    /// A full queue answers 503, with Retry-After if ``HostSettings/retryAfter`` is set; a host that fails 500, one
    /// whose own call fails 502, and one that knows that the deadline has passed 504, all without a body. What else a
    /// host answers is ``HostSettings/answer``.
    ///
    /// - Returns: The response. It rejects with `HTTPRequest.Error` if no transport would send the request, and with an
    ///   `HTTPError` with the code `cannotConnect` or `connectionLost` if the host is down or goes down.
    @_disfavoredOverload
    @Sendable
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        do { try request.validate() } catch { return Future(error: error) }
        let host = request.url.host().flatMap { number(of: $0) }
        return CallContext.current.exchange(request) {
            send(SimulatedRequest(number: 0, host: host))
                .map { [self] in network.hosts[$0.host].answer(to: request) }
                .flatMapError { error in Self.answer(to: request, for: error) }
        }
    }

    /// The number of the host that a URL names; nil if it names none.
    private func number(of host: String) -> Int? {
        let label = host.prefix { $0 != "." }
        return network.number(named: host) ?? network.number(named: String(label)) ?? Int(label)
    }

    private static func answer(
        to request: HTTPRequest, for error: any Error
    ) -> Future<HTTPResponse> {
        guard let failure = error as? SimulatedFailure else { return Future(error: error) }
        switch failure.code {
        case .queueFull: return Future(value: refusal(of: request, failure.retryAfter))
        case .failed: return Future(value: answer(500, to: request))
        case .downstreamFailed: return Future(value: answer(502, to: request))
        case .deadlinePassed: return Future(value: answer(504, to: request))
        case .unreachable: return Future(error: HTTPError(code: .cannotConnect, request: request))
        case .connectionLost:
            return Future(error: HTTPError(code: .connectionLost, request: request))
        }
    }

    private static func refusal(
        of request: HTTPRequest, _ retryAfter: Duration?
    ) -> HTTPResponse {
        guard let retryAfter else { return answer(503, to: request) }
        let seconds = Nanoseconds(retryAfter).seconds.rounded(.up)
        return answer(503, to: request, ["Retry-After": "\(Int(seconds))"])
    }

    private static func answer(
        _ status: Int, to request: HTTPRequest, _ headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, url: request.url, request: request)
    }
}

extension SimulatedHost {
    /// The response to a request that has succeeded.
    fileprivate func answer(to request: HTTPRequest) -> HTTPResponse {
        guard let answer = settings.answer else {
            return HTTPResponse(status: 200, url: request.url, request: request)
        }
        var response = answer(request)
        response.url = response.url ?? request.url
        response.request = request
        return response
    }
}
