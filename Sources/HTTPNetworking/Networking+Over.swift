package import PledgeFutures
package import PledgeServices

/// Lowers a service of the second level to a network: endpoints in, accepted bodies out.
///
/// ```swift
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// An endpoint becomes the request that ``HTTPRequest/init(_:)`` makes of it. The future settles on the same
/// thread as the service's future, and cancelling it cancels the call.
///
/// - Parameters:
///   - service: The service for the requests.
///   - base: The base of endpoints that have none; see ``Endpoint/based(on:)``.
///   - statuses: The statuses whose bodies are accepted.
/// - Returns: A network. It rejects with `Endpoint.Error` if the endpoint cannot be sent, with an
///   ``HTTPError`` that keeps the endpoint, the request and the whole response if the status is not accepted,
///   and otherwise with the service's own error. If an ``HTTPError`` of the service has no endpoint or
///   request, it gets them.
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

/// Lowers an async function of requests to a network; see the other `makeNetworking`.
@_disfavoredOverload
public func makeNetworking(
    over function: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse,
    base: URL? = nil,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299
) -> Networking {
    makeNetworking(over: asFuture(function), base: base, accepting: statuses)
}

/// Lowers a service of requests to one of endpoints.
///
/// - Returns: A function of an endpoint and a body that an endpoint can't have, such as a file; nil for the endpoint's own. An
///   ``HTTPError`` of the service gets the endpoint and the request, if it has none.
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

/// Calls a service, and notes in the attempt's record that it sends the request, unless the service notes it.
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
