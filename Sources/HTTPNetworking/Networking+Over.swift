import Futures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Lowers a service of the second level to a network: endpoints in, accepted bodies out.
///
/// ```swift
/// let api = networking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// An endpoint becomes the request that ``HTTPRequest/init(_:)`` makes of it. The future settles on
/// the thread on which the service's does, and cancelling it cancels the call.
///
/// - Parameters:
///   - service: What is called with each request.
///   - base: The base of endpoints that have none; see ``Endpoint/based(on:)``.
///   - statuses: The statuses whose bodies are accepted.
/// - Returns: A network. It rejects with `Endpoint.Error` where the endpoint cannot be sent, with an
///   ``HTTPError`` that keeps the endpoint, the request and the whole response where the status is
///   not accepted, and otherwise with the service's own error. An ``HTTPError`` of the service's gets
///   the endpoint and the request, where it has none.
public func networking(
    over service: @escaping HTTPService,
    base: URL? = nil,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299
) -> Networking {
    return { endpoint in
        let endpoint = base.map { Endpoint.based(on: $0)(endpoint) } ?? endpoint
        let request: HTTPRequest
        do { request = try HTTPRequest(endpoint) } catch { return Future(error: error) }
        return service(request)
            .continued { result in
                guard case .failure(var error as HTTPError) = result else { return nil }
                error.endpoint = error.endpoint ?? endpoint
                return Future(error: error.naming(request))
            }
            .mapWithoutOrigin { response in
                if statuses.contains(response.status) { return response.body }
                throw HTTPError(
                    code: .unacceptableStatus, endpoint: endpoint, request: request,
                    response: response.naming(request))
            }
    }
}
