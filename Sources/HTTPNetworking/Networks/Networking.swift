import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
public import PledgeServices

/// A network: a function from an endpoint to a future of the data.
///
/// ```swift
/// let networking: Networking = URLSession.shared.request
/// ```
///
/// It is a `Service` like any other, so you can put any policy around it.
///
/// The future rejects with `Endpoint.Error` if the endpoint cannot be sent, and with `HTTPError` if the
/// exchange failed or the status is outside 200…299. The transport chooses the thread on which the future
/// settles.
public typealias Networking = Service<Endpoint, Data>

/// Turns a service of requests into a network: endpoints in, accepted bodies out.
///
/// ```swift
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// `HTTPRequest.init(_:)` makes the request from each endpoint. The future settles on the same thread as the
/// service's future, and cancelling it cancels the call.
///
/// - Parameters:
///   - service: The service for the requests.
///   - base: The base for endpoints without one; see `Endpoint.based(on:)`.
///   - statuses: The statuses whose bodies are accepted.
/// - Returns: A network. It rejects with `Endpoint.Error` if the endpoint cannot be sent. If the status is not
///   accepted, it rejects with an `HTTPError` that keeps the endpoint, the request and the whole response. If the
///   service fails, it rejects with the service's error, and adds the endpoint and the request to an `HTTPError` that
///   has none.
public func makeNetworking(
    over service: @escaping HTTPService,
    base: URL? = nil,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299
) -> Networking {
    let ask = endpointService(over: service, base: base)
    return { endpoint in
        ask(endpoint).mapWithoutOrigin { response in
            if statuses.contains(response.status) { return response.body }
            throw response.refused(for: base.map { Endpoint.based(on: $0)(endpoint) } ?? endpoint)
        }
    }
}

/// Turns an async function of requests into a network; see the other `makeNetworking`.
@_disfavoredOverload
public func makeNetworking(
    over function: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse,
    base: URL? = nil,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299
) -> Networking {
    makeNetworking(over: asFuture(function), base: base, accepting: statuses)
}

/// Turns a service of requests into a function of endpoints; each endpoint becomes a request here and nowhere else.
///
/// - Returns: A function that adds the endpoint and the request to an ``HTTPError`` that has none.
package func endpointService<Output: HTTPResponseHead>(
    over service: @escaping Service<HTTPRequest, Output>, base: URL?
) -> Service<Endpoint, Output> {
    { endpoint in
        let endpoint = base.map { Endpoint.based(on: $0)(endpoint) } ?? endpoint
        let request: HTTPRequest
        do {
            request = try HTTPRequest(endpoint)
        } catch {
            return Future(error: error)
        }
        let answer = sendRecorded(request, in: .current, service)
        if answer.hasSucceeded({ _ in true }) { return answer }
        return answer.replacingAtEnd { result in
            guard case .failure(var error as HTTPError) = result else { return nil }
            error.endpoint = error.endpoint ?? endpoint
            return .failure(error.withRequest(request))
        }
    }
}
