import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Synchronization

/// A client's functions; each call uses the parts that the client has at that moment.
///
/// The parts are assembled when the first function is taken, and again at the first call after a change.
final class LazyFunctions: Sendable {
    final class Functions: Sendable {
        let send: HTTPService
        let stream: HTTPStreamingService
        let sendEndpoint: Service<Endpoint, HTTPResponse>
        let streamEndpoint: Service<Endpoint, HTTPStreamedResponse>
        let networking: Networking

        /// Assembles a client's parts.
        fileprivate init(_ client: HTTPClient) {
            // So a simulation also notices a forgotten slot in a run in which no part uses it.
            if client.scheduler is LiveScheduler { TaskHome.noteUse(of: .timer) }
            client.random.noteUse()
            let shared = SharedStates(of: client)
            shared.watchAll()
            // Not by the stack's `send(over:)`, because the client's JSON settings come above its parts.
            let stack = client.stack(sharing: shared)
            let transport = client.transportOnItsClock
            send = unlessCancelled(
                client.using(stack.whole(transport.send)))
            stream = unlessCancelled(
                client.using(stack.streamed(transport.stream)))
            let base = client.slots.bareBase
            let sendEndpoint = endpointService(over: send, base: base)
            self.sendEndpoint = sendEndpoint
            networking = { endpoint in
                sendEndpoint(endpoint).mapWithoutOrigin { $0.body }
            }
            streamEndpoint = endpointService(over: stream, base: base)
        }

        /// Creates functions that call the present parts.
        fileprivate init(calling parts: AssembledParts) {
            send = { parts.current.send($0) }
            stream = { parts.current.stream($0) }
            sendEndpoint = { parts.current.sendEndpoint($0) }
            streamEndpoint = { parts.current.streamEndpoint($0) }
            networking = { parts.current.networking($0) }
        }
    }

    private let parts: AssembledParts
    private let functions: Functions

    init() {
        parts = AssembledParts()
        functions = Functions(calling: parts)
    }

    /// Creates an object with the same functions, for a copy of the client that doesn't change.
    init(following other: LazyFunctions) {
        parts = other.parts
        functions = other.functions
    }

    /// Returns a client's functions; the client must have the same slots at each call, unless ``follow(_:)`` was called.
    func functions(of client: HTTPClient) -> Functions {
        if !parts.isKnown { parts.begin(with: client.withoutFunctions) }
        return functions
    }

    /// Lets the functions that were taken from a client follow its change.
    func follow(_ client: HTTPClient) {
        if parts.isKnown { parts.change(to: client.withoutFunctions) }
    }
}

/// The parts of a client, assembled when they are needed.
private final class AssembledParts: Sendable {
    private enum State {
        /// No function was taken from the client. Next: `changed`.
        case unknown
        /// The client's slots; the number rises with each change. Next: `changed` or `assembled`.
        indirect case changed(HTTPClient, Int)
        /// Next: `changed`.
        case assembled(LazyFunctions.Functions, Int)
    }

    private let state = Locked(State.unknown)
    /// The parts that were assembled first; until the first change after that, a call needs no lock.
    private let first = AtomicLazyReference<LazyFunctions.Functions>()
    private let hasChanged = Atomic(false)
    private let wasBegun = Atomic(false)

    /// True once a function was taken from the client.
    var isKnown: Bool { wasBegun.load(ordering: .acquiring) }

    /// Assembles a client's parts.
    func begin(with client: HTTPClient) {
        state.withLock { state in
            if case .unknown = state { state = .changed(client, 0) }
        }
        _ = current
        wasBegun.store(true, ordering: .releasing)
    }

    func change(to client: HTTPClient) {
        hasChanged.store(true, ordering: .releasing)
        // The former parts are released after unlocking.
        _ = state.withLock { state in
            let former = state
            switch former {
            case .unknown: state = .changed(client, 0)
            case .changed(_, let number), .assembled(_, let number):
                state = .changed(client, number + 1)
            }
            return former
        }
    }

    /// The functions with the client's present parts.
    var current: LazyFunctions.Functions {
        // Acquiring: a thread that knows of a change sees it here.
        if let first = first.load(), !hasChanged.load(ordering: .acquiring) { return first }
        while true {
            switch state.withLock({ $0 }) {
            case .unknown: preconditionFailure("a function was taken before its client was known")
            case .assembled(let functions, _): return functions
            case .changed(let client, let number):
                let functions = LazyFunctions.Functions(client)
                keep(functions, number)
            }
        }
    }

    /// Keeps assembled functions, unless the client has changed meanwhile, or another thread was faster.
    private func keep(_ functions: LazyFunctions.Functions, _ number: Int) {
        _ = state.withLock { state -> State? in
            guard case .changed(_, number) = state else { return nil }
            let former = state
            state = .assembled(functions, number)
            if number == 0 { _ = first.storeIfNil(functions) }
            return former
        }
    }
}

extension HTTPClient {
    /// Wraps a service so that its requests and answers have the client's JSON settings.
    fileprivate func using<Output>(
        _ service: @escaping Service<HTTPRequest, Output>
    ) -> Service<HTTPRequest, Output> {
        if slots.json.isStandard { return service }
        return { [json = slots.json] request in
            do {
                return service(try request.using(json))
            } catch {
                return Future(error: error)
            }
        }
    }

    fileprivate var transportOnItsClock: any HTTPTransport {
        guard var function = transport as? FunctionTransport else { return transport }
        function.scheduler = slots.scheduler
        return function
    }
}
