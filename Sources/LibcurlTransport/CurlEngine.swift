import CPledgeCurl
import Foundation
import PledgeFutures
import PledgeHTTPNetworking

/// The thread that does everything that a transport does with libcurl, as other threads see it.
///
/// Other threads submit commands, and the thread takes all of them at once; the first command wakes the
/// thread if it sleeps. The thread ends when it is closed, or after its transport is released and the last
/// call has ended.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case start(TransportExchange, EasyHandle)
        /// Ends an exchange before its response is complete.
        case end(TransportExchange, any Error)
        /// There is room for more bytes of a response's body.
        case receive(TransportExchange)
        /// There are more bytes of a request's body.
        case send(TransportExchange)
        /// Ends the thread after the last call.
        case drain
        /// Ends all calls, and then the thread.
        case close
    }

    private struct State {
        /// Nil after the thread has ended: it is not woken any more, and its descriptors are closed.
        var poller: Poller?
        var commands: [Command] = []
        /// Whether the thread waits, or is about to.
        var isSleeping = false
        /// Whether calls are refused.
        var isClosed = false

        /// Whether the thread has ended, so that commands are not taken any more.
        var hasEnded: Bool { poller == nil }
    }

    let delivery: ResultDelivery
    let handles: HandlePool
    let limits: TransportExchange.Limits
    /// The clock of the limits.
    let scheduler: any Scheduler
    let ended = InternalPromise<Void>()
    private let state: Locked<State>

    /// Starts the thread.
    ///
    /// - Throws: `HTTPError` if the system has no descriptor left.
    init(_ options: CurlOptions, delivery: ResultDelivery) throws(HTTPError) {
        guard let poller = Poller() else {
            throw HTTPError(code: .other, reason: "the system has no descriptor left")
        }
        state = Locked(State(poller: poller))
        self.delivery = delivery
        handles = HandlePool(options)
        scheduler = options.scheduler
        limits = options.limits(handing: { delivery.deliver($0) })
        IOThread.start {
            guard let loop = CurlLoop(self, poller, options) else { return self.giveUp() }
            loop.run()
        }
    }

    /// Fails all calls, since there is no memory for the loop.
    private func giveUp() {
        for command in end() {
            guard case .start(let exchange, let handle) = command else { continue }
            handles.giveBack(handle)
            exchange.fail(with: exchange.failure(.other, reason: "there is no memory"))
        }
        ended.resolve()
    }

    /// Submits a command; returns false if the thread has ended, or if the command starts a call and the
    /// engine is closed.
    @discardableResult
    func submit(_ command: Command) -> Bool {
        let (isTaken, sleeper) = state.withLock { state -> (Bool, Poller?) in
            if state.hasEnded { return (false, nil) }
            switch command {
            case .start where state.isClosed: return (false, nil)
            case .close, .drain: state.isClosed = true
            default: break
            }
            state.commands.append(command)
            defer { state.isSleeping = false }
            return (true, state.isSleeping ? state.poller : nil)
        }
        sleeper?.wake()
        return isTaken
    }

    /// Takes all commands: it swaps them for an empty array, whose capacity is used again.
    func take(into commands: inout [Command]) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
        }
    }

    /// Notes that the thread is about to sleep; returns false if there are commands.
    func maySleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    /// Notes that the thread takes no more commands.
    ///
    /// - Returns: The commands that were left.
    func end() -> [Command] {
        state.withLock { state in
            state.poller = nil
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}

/// A thread that waits for sockets.
enum IOThread {
    /// Starts a thread that runs a closure, and ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // Foundation names a thread only after `start` has returned to the thread that called it.
            ccurl_name_thread("Pledge.Curl")
            body()
        }
        thread.qualityOfService = .userInitiated
        thread.start()
    }
}

/// Waits for sockets and for a wake-up.
final class Poller: @unchecked Sendable {
    // A pointer that never changes. Any thread may call `wake`; only the thread that waits calls the rest.
    private let poller: OpaquePointer

    /// Makes a poller, or returns nil if the system has no descriptor left.
    init?() {
        guard let poller = ccurl_poller_make() else { return nil }
        self.poller = poller
    }

    deinit { ccurl_poller_free(poller) }

    /// Sets what to wait for on a socket: bits 1 in, 2 out; 0 to stop waiting for it.
    @discardableResult
    func watch(_ socket: Int32, for bits: Int32, isKnown: Bool) -> Bool {
        ccurl_poller_watch(poller, socket, bits, isKnown)
    }

    /// Waits, and returns the number of sockets that are ready.
    ///
    /// - Parameter milliseconds: The maximum time; -1 for no limit.
    func wait(into ready: UnsafeMutableBufferPointer<ccurl_ready>, _ milliseconds: Int32) -> Int {
        guard let start = ready.baseAddress else { return 0 }
        return Int(ccurl_poller_wait(poller, start, Int32(ready.count), milliseconds))
    }

    /// Ends the present wait, or the next one.
    func wake() { ccurl_poller_wake(poller) }
}
