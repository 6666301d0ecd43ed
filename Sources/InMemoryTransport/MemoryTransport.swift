public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
import PledgeServices

/// A transport that answers from memory: a server in the same process, made of routes.
///
/// ```swift
/// let transport = MemoryTransport(routes: [
///     .get("/products/:id", answer: .json(product)),
///     .post("/login", answer: .status(401)),
/// ])
/// let networking: Networking = transport.request
/// ```
///
/// It refuses the same requests as a real transport, but an endpoint needs no base. The first route that matches
/// answers. You can call the transport from any thread, and it records all calls in order.
public final class MemoryTransport: Sendable, HTTPTransport {
    /// Answers an endpoint with the first route that matches.
    ///
    /// This method is a `Networking`.
    ///
    /// Before the method returns, it chooses the route, the route's next answer if the route has a sequence, and
    /// whether the call fails. So the order of the calls decides these things. The answer is created after the latency,
    /// on the scheduler's thread; without latency, it is created before the method returns. Cancelling the future frees
    /// its timer.
    ///
    /// - Returns: A future of the body, if the status is in 200…299. Otherwise the future fails with
    ///   - `Endpoint.Error` if the endpoint cannot be sent;
    ///   - an error that names the nearest route if no route matches;
    ///   - an error that names the route if a file cannot be read, a value cannot be encoded, or a sequence is empty;
    ///   - `HTTPError` for another status, for a random failure, and, with the code `timedOut`, if the deadline of the
    ///     calling `CallContext` passes.
    /// - Complexity: Linear in the number of routes.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        let context = CallContext.current
        return context.exchange(endpoint) {
            let answer = respond(to: endpoint, nil, in: context) { () throws(Endpoint.Error) in
                try RequestTarget(of: endpoint)
            }
            return context.limiting(
                answer.mapWithoutOrigin { try $0.acceptedBody(for: endpoint) }, endpoint: endpoint)
        }
    }

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - routes: The routes. The first that matches answers.
    ///   - latency: The time that each answer takes. Zero or less means no latency, and then you need no scheduler.
    ///   - failures: The random failures; none by default.
    ///   - base: The base URL of your requests. ``send(_:)`` and ``stream(_:)`` leave out its path when they match
    ///     routes.
    ///   - scheduler: The clock of the latency.
    public init(
        routes: [Route],
        latency: Duration = .zero,
        failures: Failures = .none,
        under base: URL? = nil,
        on scheduler: any FutureScheduler = LiveScheduler.live
    ) {
        self.routes = routes
        self.latency = latency
        self.base = base
        self.scheduler = scheduler
        responders = routes.map { $0.answer.makeResponder() }
        failure = failures.error
        state = Locked(State(failures: failures))
    }

    /// All calls so far in order of arrival, refused calls included.
    ///
    /// The transport keeps them until it is released.
    public var calls: [Call] { state.withLock { $0.calls } }

    let routes: [Route]

    let latency: Duration
    let base: URL?
    let scheduler: any FutureScheduler
    private let responders: [Answer.Responder]
    private let failure: @Sendable (Call) -> any Error
    private let state: Locked<State>

    private struct State {
        var calls: [Call] = []
        var failures: Failures
    }
}

extension MemoryTransport {
    /// Answers a request with the first route that matches, whatever the status.
    ///
    /// This method is an `HTTPService`.
    ///
    /// ```swift
    /// let transport = MemoryTransport(routes: [.get("/a", answer: .status(304))])
    /// let service: HTTPService = stack(.redirect(), over: transport.send)
    /// ```
    ///
    /// It works like ``request(_:)``, except that it accepts every status. Routes match the URL's path without the path
    /// of the transport's base.
    ///
    /// If the body is a file, the method reads it before it returns. If the body is a stream, the transport reads it to
    /// its end and only then records the call. If the body cannot be read, the future fails with an `HTTPError` with
    /// the code `bodyUnreadable`, and the cause is the error of the body's source. If a stream is longer or shorter
    /// than announced, the code is `bodyLengthMismatch`.
    ///
    /// - Returns: A future of the response. If the answer has no URL, the response gets the request's URL. The
    ///   scheduler measures the response's timing.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let start = scheduler.now
        let context = CallContext.current
        return context.exchange(request) {
            let answer = request.bodyInMemory(on: scheduler).flatMap { body in
                self.respond(to: Endpoint(request, body: body), request, in: context)
            }
            return context.limiting(answer, request: request)
        }
        .mapWithoutOrigin { [scheduler] response in
            var response = response
            response.url = response.url ?? request.url
            let total = start.duration(to: scheduler.now)
            response.timing = HTTPTiming(untilHeaders: total, total: total)
            response.request = request
            return response
        }
        .mapError { $0.withRequest(request) }
    }

    /// Answers a request with a response whose body is a stream.
    ///
    /// This method is an `HTTPStreamingService`. It works like ``send(_:)``, so the response arrives only when its
    /// whole body is there.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        send(request).mapWithoutOrigin { response in
            HTTPStreamedResponse(response, body: HTTPBodyStream(response.body))
        }
    }

    private func respond(
        to endpoint: Endpoint, _ request: HTTPRequest, in context: CallContext
    ) -> Future<HTTPResponse> {
        respond(to: endpoint, request, in: context) { () throws(Endpoint.Error) in
            try RequestTarget(of: request, under: base)
        }
    }
}

extension MemoryTransport {
    /// A call that the transport has recorded, with the route that matched it.
    public struct Call: Hashable, Sendable {
        /// The endpoint of the call.
        ///
        /// If the call had a request, this is an endpoint that would send the same request.
        public let endpoint: Endpoint

        /// The request; nil if the call had an endpoint.
        public let request: HTTPRequest?

        /// The number of the attempt, counted from one by the innermost retry.
        public let attempt: Int

        /// The route that matched, such as "GET /products/:id"; nil if none did.
        public let route: String?

        /// The decoded values of the pattern's parameters, by name.
        public let parameters: [String: String]

        init(
            endpoint: Endpoint, request: HTTPRequest?, route: String? = nil,
            parameters: [String: String] = [:]
        ) {
            self.endpoint = endpoint
            self.request = request
            attempt = CallContext.current.attempt
            self.route = route
            self.parameters = parameters
        }
    }
}

extension MemoryTransport {
    /// Records a call; returns a future of the first matching route's answer, which settles when the answer is due.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to record.
    ///   - request: The request to record; nil for a call with an endpoint.
    ///   - context: If its deadline has passed, the call is recorded but not answered.
    ///   - asking: Creates the target, or throws the reason why the call can't be sent.
    func respond(
        to endpoint: Endpoint, _ request: HTTPRequest?, in context: CallContext,
        asking: () throws(Endpoint.Error) -> RequestTarget
    ) -> Future<HTTPResponse> {
        do {
            let answer = try admit(endpoint, request) { () throws in
                let target = try asking()
                try context.checkDeadline(
                    endpoint: request == nil ? endpoint : nil, request: request)
                return target
            }
            guard latency > .zero else { return answer() }
            return timer().flatMap { answer() }
        } catch {
            return Future(error: error)
        }
    }

    /// Records a call and chooses its answer; throws if there is none.
    private func admit(
        _ endpoint: Endpoint, _ request: HTTPRequest?, asking: () throws -> RequestTarget
    ) throws -> @Sendable () -> Future<HTTPResponse> {
        do {
            let asked = try asking()
            for (route, respond) in zip(routes, responders) {
                guard let parameters = route.parameters(matching: asked) else { continue }
                let call = Call(
                    endpoint: endpoint, request: request, route: route.name,
                    parameters: parameters)
                return admit(call, to: respond)
            }
            throw UnmatchedCall(endpoint: endpoint, asked: asked, routes: routes)
        } catch {
            state.withLock { $0.calls.append(Call(endpoint: endpoint, request: request)) }
            throw error
        }
    }

    /// Records a call and chooses its answer, under one lock, so that calls of many threads are recorded in the order
    /// in which they take answers from a sequence.
    private func admit(
        _ call: Call,
        to respond: Answer.Responder
    ) -> @Sendable () -> Future<HTTPResponse> {
        let answer = state.withLock { state in
            state.calls.append(call)
            return state.failures.failsNext() ? nil : respond(call)
        }
        return answer ?? { [failure] in Future(error: failure(call)) }
    }

    /// Resolves after the latency; cancelling it frees its timer.
    private func timer() -> Future<Void> {
        Future.make { resolver in
            let action = scheduler.schedule(after: latency) { resolver.resolve(with: ()) }
            resolver.onCancel { action.cancel() }
        }
    }
}

extension Endpoint {
    /// An endpoint that would send the same request, with the body in memory.
    fileprivate init(_ request: HTTPRequest, body: Data?) {
        self.init(separating: request.url)
        method = request.method
        headers = request.effectiveHeaders
        let type = request.body.contentType ?? ""
        self.body = body.map { .data($0, contentType: type) } ?? .none
    }
}
