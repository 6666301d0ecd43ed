package import PledgeFutures
public import PledgeServices

/// A network: a function from an endpoint to a future of the data.
///
/// ```swift
/// let networking: Networking = URLSession.shared.request
/// ```
///
/// It is a `Service` like any other, so you can put any policy around it.
///
/// The future rejects with ``Endpoint/Error`` if the endpoint cannot be sent, and with ``HTTPError`` if the
/// exchange failed or the status is outside 200…299. The transport chooses the thread on which the future
/// settles.
public typealias Networking = Service<Endpoint, Data>

/// Turns a service of requests into a network: endpoints in, accepted bodies out.
///
/// ```swift
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// ``HTTPRequest/init(_:)`` makes the request from each endpoint. The future settles on the same thread as the
/// service's future, and cancelling it cancels the call.
///
/// - Parameters:
///   - service: The service for the requests.
///   - base: The base for endpoints without one; see ``Endpoint/based(on:)``.
///   - statuses: The statuses whose bodies are accepted.
/// - Returns: A network. It rejects with `Endpoint.Error` if the endpoint cannot be sent. If the status is not
///   accepted, it rejects with an ``HTTPError`` that keeps the endpoint, the request and the whole response. If the
///   service fails, it rejects with the service's error, and adds the endpoint and the request to an ``HTTPError`` that
///   has none.
public func makeNetworking(
    over service: @escaping HTTPService,
    base: URL? = nil,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299
) -> Networking {
    let ask = endpointService(over: service, base: base)
    return { endpoint in
        ask(endpoint, nil).mapWithoutOrigin { response in
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

/// Turns a service of requests into a function of endpoints.
///
/// - Returns: A function of an endpoint and a body. The body is one that an endpoint can't have, such as a file; nil
///   stands for the endpoint's own body. If an ``HTTPError`` of the service has no endpoint or no request, the function
///   adds it.
package func endpointService<Output: HTTPResponseHead>(
    over service: @escaping Service<HTTPRequest, Output>, base: URL?
) -> @Sendable (Endpoint, HTTPRequest.Body?) -> Future<Output> {
    { endpoint, body in
        let endpoint = base.map { Endpoint.based(on: $0)(endpoint) } ?? endpoint
        let request: HTTPRequest
        do {
            request = try HTTPRequest(endpoint, sending: body)
        } catch {
            return Future(error: error)
        }
        return sendRecorded(request, in: .current, service)
            .flatMapSomeResults { result in
                guard case .failure(var error as HTTPError) = result else { return nil }
                error.endpoint = error.endpoint ?? endpoint
                return Future(error: error.naming(request))
            }
    }
}

/// Calls a service; notes the sent request in the attempt's record if the service itself doesn't do so.
package func sendRecorded<Output: Sendable>(
    _ request: HTTPRequest, in context: CallContext,
    _ service: @escaping Service<HTTPRequest, Output>
) -> Future<Output> {
    guard let record = context.record else { return service(request) }
    do {
        let mark = try record.willSend(replayable: request.isReplayable)
        return context.with(record: record.part(presuming: mark)).run { service(request) }
            .onEnd { record.end(mark, CallRecord.Fate(of: $0)) }
    } catch {
        return Future(error: error)
    }
}
