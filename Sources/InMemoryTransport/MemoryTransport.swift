public import PledgeFutures
public import PledgeHTTPNetworking
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
/// It refuses what a wire transport refuses, but an endpoint needs no base. The first route that
/// matches answers. Every call is recorded, in order, from any thread.
public final class MemoryTransport: Sendable, HTTPTransport {
    /// Answers an endpoint by the routes.
    ///
    /// It is a `Networking`.
    ///
    /// The route, its next answer in a sequence, and whether the call fails are chosen before this
    /// returns, so they follow the order of the calls. The answer is made, on the scheduler's
    /// thread, after the latency; without latency, before this returns. Cancelling the
    /// future frees its timer.
    ///
    /// - Returns: The body, if the status is in 200…299. Otherwise the future rejects: with `Endpoint.Error`
    ///   if the endpoint cannot be sent, with ``UnmatchedCall`` if no route matches, with `HTTPError` for
    ///   another status, for a random failure, and, with the code `timedOut`, when the deadline of the calling
    ///   `CallContext` passes, and with ``AnswerFailure`` if a file, a value, or an empty sequence has no
    ///   answer. Complexity: linear in the number of routes.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        let limit = CallLimit(CallContext.current.deadline, of: endpoint)
        return CallContext.current.exchange(endpoint) {
            respond(to: endpoint, nil, within: limit) { () throws(Endpoint.Error) in
                try RequestTarget(of: endpoint)
            }
            .mapWithoutOrigin { try $0.acceptedBody(for: endpoint) }
            .ending(within: limit)
        }
    }

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - routes: The routes; the first that matches answers.
    ///   - latency: How long each answer takes. Zero or less: none, and no scheduler is needed.
    ///   - failures: The random failures; by default none.
    ///   - base: The URL whose path precedes the paths of the routes in requests of the second level.
    ///   - scheduler: The clock of the latency.
    public init(
        routes: [Route],
        latency: Duration = .zero,
        failures: Failures = .none,
        under base: URL? = nil,
        on scheduler: any Scheduler = LiveScheduler.live
    ) {
        self.routes = routes
        self.latency = latency
        self.base = base
        self.scheduler = scheduler
        responders = routes.map { $0.answer.makeResponder() }
        failure = failures.error
        state = Locked(State(failures: failures))
    }

    /// All calls so far, in the order in which they came, including refused ones.
    ///
    /// The transport keeps them until it is released.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// What is answered.
    public let routes: [Route]

    let latency: Duration
    let base: URL?
    let scheduler: any Scheduler
    private let responders: [Answer.Responder]
    private let failure: @Sendable (Call) -> any Error
    private let state: Locked<State>

    private struct State {
        var calls: [Call] = []
        var failures: Failures
    }
}

extension MemoryTransport {
    /// Answers a request by the routes, with any status.
    ///
    /// It is an `HTTPService`.
    ///
    /// ```swift
    /// let transport = MemoryTransport(routes: [.get("/a", answer: .status(304))])
    /// let service: HTTPService = stack(.redirect(), over: transport.send)
    /// ```
    ///
    /// It behaves as ``request(_:)``, except for the status. A body in a file is read before this returns; a body in a stream is read to its end first, and the call
    /// is recorded then. Routes match the URL's whole path, without that of `base`. A request whose body cannot
    /// be read rejects with an `HTTPError` with the code `bodyUnreadable`, whose cause is what the source
    /// threw; a stream of another length than announced with the code `bodyLengthMismatch`.
    ///
    /// - Returns: A future of the response. Without a URL in the answer it has the request's URL. Its timing
    ///   is measured on the scheduler.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let start = scheduler.now
        let limit = CallLimit(CallContext.current.deadline, of: request)
        return CallContext.current.exchange(request) {
            bytes(of: request)
                .flatMap { body in
                    self.respond(to: Endpoint(request, body: body), request, within: limit)
                }
                .ending(within: limit)
        }
        .mapWithoutOrigin { [scheduler] response in
            var response = response
            response.url = response.url ?? request.url
            let total = start.duration(to: scheduler.now)
            response.timing = HTTPTiming(untilHeaders: total, total: total)
            response.request = request
            return response
        }
        .mapError { $0.naming(request) }
    }

    /// Answers a request by the routes, with a streamed body.
    ///
    /// It is an `HTTPStreamingService`, and otherwise the same as ``send(_:)``: the response comes when all of its
    /// body is there.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        send(request).mapWithoutOrigin { response in
            HTTPStreamedResponse(response, body: HTTPBodyStream(response.body))
        }
    }

    private func respond(
        to endpoint: Endpoint, _ request: HTTPRequest, within limit: CallLimit?
    ) -> Future<HTTPResponse> {
        respond(to: endpoint, request, within: limit) { () throws(Endpoint.Error) in
            try RequestTarget(of: request, under: base)
        }
    }

    private func bytes(of request: HTTPRequest) -> Future<Data?> {
        switch request.body.content {
        case .none: return Future(value: nil)
        case .data(let data): return Future(value: data)
        // A request that is refused does not use up a body that can be sent once.
        case _ where (try? request.validate()) == nil: return Future(value: nil)
        case .file(let url):
            do { return Future(value: try Data(contentsOf: url)) } catch {
                return Future(error: HTTPError.unreadable(url, cause: error).naming(request))
            }
        case .stream:
            let record = CallContext.current.record
            record?.begin(.upload, on: scheduler)
            do {
                return try request.body.open().collected(upTo: .max).mapWithoutOrigin { $0 }
                    .mapError(HTTPError.failure(ofBody:))
                    .onEnd { _ in record?.end(.upload) }
            } catch {
                record?.end(.upload)
                return Future(error: HTTPError.failure(ofBody: error))
            }
        }
    }
}

extension MemoryTransport {
    /// One call of the transport, with its route.
    public struct Call: Hashable, Sendable {
        /// What was asked for.
        ///
        /// For a request of the second level, this is an endpoint that would send the same.
        public let endpoint: Endpoint

        /// The request; nil for a call with an endpoint.
        public let request: HTTPRequest?

        /// Which attempt of the innermost retry it was, counted from one.
        public let attempt: Int

        /// The matching route, like "GET /products/:id"; nil if none matched.
        public let route: String?

        /// The values of the pattern's parameters, decoded.
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
    /// Records a call, and returns the answer of the first matching route when it is due.
    ///
    /// - Parameters:
    ///   - endpoint: The recorded endpoint.
    ///   - request: The request of the second level.
    ///   - limit: The time of the call; if it is over, the call is recorded, and not answered.
    ///   - asking: Makes the target, or throws the reason why it cannot be sent.
    func respond(
        to endpoint: Endpoint, _ request: HTTPRequest?, within limit: CallLimit?,
        asking: () throws(Endpoint.Error) -> RequestTarget
    ) -> Future<HTTPResponse> {
        do {
            let answer = try admit(endpoint, request) { () throws in
                let target = try asking()
                try limit?.check()
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
                    endpoint: endpoint, request: request, route: route.description,
                    parameters: parameters)
                return admit(call, to: respond)
            }
            throw UnmatchedCall(endpoint: endpoint, asked: asked, routes: routes)
        } catch {
            state.withLock { $0.calls.append(Call(endpoint: endpoint, request: request)) }
            throw error
        }
    }

    /// Records a call that a route matches, and chooses its answer.
    ///
    /// Both under one lock, so that calls on many threads are recorded in the order in which they
    /// take their answers from a sequence.
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

    /// A future that settles after the latency; cancelling it frees the timer.
    private func timer() -> Future<Void> {
        Future.make { resolver in
            let action = scheduler.schedule(after: latency) { resolver.resolve(with: ()) }
            resolver.onCancel { action.cancel() }
        }
    }
}

extension Endpoint {
    /// An endpoint that would send the same as a request, with its body in memory.
    fileprivate init(_ request: HTTPRequest, body: Data?) {
        self.init(separating: request.url)
        method = request.method
        headers = request.effectiveHeaders
        let type = request.body.contentType ?? ""
        self.body = body.map { .data($0, contentType: type) } ?? .none
    }
}
