public import Futures
public import HTTPNetworking

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
/// What a wire transport refuses is refused here too, but an endpoint needs no base. The first
/// route that matches answers. Every call is recorded, in order, on whatever thread it comes.
public final class MemoryTransport {
    /// Asks the routes for an endpoint's data.
    ///
    /// It is a `Networking`.
    ///
    /// The route, its next answer in a sequence, and whether the call fails are chosen before this
    /// returns, so they follow the order of the calls. The answer is made, on the scheduler's
    /// thread, when the latency is over; without latency, before this returns. Cancelling the
    /// future frees its timer.
    ///
    /// - Returns: The body where the status lies in 200…299. Otherwise the future rejects: with
    ///   `Endpoint.Error` where the endpoint cannot be sent, ``UnmatchedCall`` where no route
    ///   matches, `HTTPError` for a status that is no success and for a failure by chance, and
    ///   ``AnswerFailure`` where a file, a value, or an empty sequence gives no answer.
    ///   Complexity: linear in the number of routes.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        do {
            let answer = try admit(endpoint)
            guard latency > .zero else { return answer() }
            return timer().flatMap { answer() }
        } catch {
            return Future(error: error)
        }
    }

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - routes: What is answered; the first that matches is taken.
    ///   - latency: How long each answer takes. Zero or less: none, and no scheduler is needed.
    ///   - failures: Which calls fail by chance. None, unless given.
    ///   - scheduler: Where the latency passes.
    public init(
        routes: [Route],
        latency: Duration = .zero,
        failures: Failures = .none,
        on scheduler: any Scheduler = LiveScheduler.live
    ) {
        self.routes = routes
        self.latency = latency
        self.scheduler = scheduler
        responders = routes.map { $0.answer.makeResponder() }
        failure = failures.error
        state = Locked(State(failures: failures))
    }

    /// All calls so far, in the order in which they came, those that were refused included.
    ///
    /// They are kept as long as the transport.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// What is answered.
    public let routes: [Route]

    private let latency: Duration
    private let scheduler: any Scheduler
    private let responders: [Answer.Responder]
    private let failure: @Sendable (Call) -> any Error
    private let state: Locked<State>

    private struct State {
        var calls: [Call] = []
        var failures: Failures
    }
}

extension MemoryTransport {
    /// Records a call and chooses what will answer it, or throws why nothing will.
    private func admit(_ endpoint: Endpoint) throws -> @Sendable () -> Future<Data> {
        do {
            let asked = try AskedPlace(of: endpoint)
            for (route, respond) in zip(routes, responders) {
                guard let parameters = route.parameters(matching: asked) else { continue }
                let name = route.description
                return admit(
                    Call(endpoint: endpoint, route: name, parameters: parameters),
                    to: respond
                )
            }
            throw UnmatchedCall(endpoint: endpoint, asked: asked, routes: routes)
        } catch {
            state.withLock { $0.calls.append(Call(endpoint: endpoint)) }
            throw error
        }
    }

    /// Records a call that a route takes, and chooses its answer.
    ///
    /// Both under one lock, so that calls on many threads are recorded in the order in which they
    /// take their answers from a sequence.
    private func admit(
        _ call: Call,
        to respond: Answer.Responder
    ) -> @Sendable () -> Future<Data> {
        let answer = state.withLock { state in
            state.calls.append(call)
            return state.failures.failsNext() ? nil : respond(call)
        }
        return answer ?? { [failure] in Future(error: failure(call)) }
    }

    /// A future that settles when the latency is over; cancelling it frees the timer.
    private func timer() -> Future<Void> {
        Future.make { resolver in
            let action = scheduler.schedule(after: latency) { resolver.resolve(with: ()) }
            resolver.onCancel { action.cancel() }
        }
    }
}

extension MemoryTransport: Sendable {}
