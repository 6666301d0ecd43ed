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
public final class MemoryTransport {
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

extension MemoryTransport: Sendable {}

extension MemoryTransport: HTTPTransport {}
