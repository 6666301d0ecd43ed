import CPledgeCurl
import Foundation
import PledgeFutures
import PledgeHTTPNetworking

/// The I/O thread of a transport, as other threads see it; this thread performs all transfers.
///
/// Other threads submit commands, and the I/O thread takes them all at once. If the I/O thread sleeps, the first
/// command wakes it. The thread ends when the engine is closed, or when the transport has been released and its last
/// call has ended.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case start(TransportExchange, EasyHandle)
        /// Ends an exchange before its response is complete.
        case end(TransportExchange, any Error)
        /// Continues to receive: the response's body has room for more bytes.
        case receive(TransportExchange)
        /// Continues to send: the request's body has more bytes.
        case send(TransportExchange)
        /// Ends the thread after the last call.
        case drain
        /// Ends all calls, and then the thread.
        case close
    }

    private struct State {
        /// Nil after the thread has ended.
        ///
        /// Then the poller's descriptors are closed, and there is no thread to wake.
        var poller: Poller?
        var commands: [Command] = []
        /// True while the thread waits, or is about to wait.
        var isSleeping = false
        /// True if new calls are refused.
        var isClosed = false

        /// True after the thread has ended; then it takes no more commands.
        var hasEnded: Bool { poller == nil }
    }

    let delivery: ResultDelivery
    let handles: HandlePool
    let limits: TransportExchange.Limits
    /// The clock of the time limits.
    let scheduler: any FutureScheduler
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

    /// Fails all calls, because there is no memory for the loop.
    private func giveUp() {
        for command in endLoop() {
            guard case .start(let exchange, let handle) = command else { continue }
            handles.giveBack(handle)
            exchange.fail(with: exchange.failure(.other, reason: "there is no memory"))
        }
        ended.resolve()
    }

    /// Submits a command.
    ///
    /// - Returns: False if the thread has ended, or if the command starts a call and the engine is closed.
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

    /// Takes all commands, by swapping them with an empty array, whose capacity is reused.
    func takeCommands(into commands: inout [Command]) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
        }
    }

    /// Notes that the thread is about to sleep; returns false if it must not, because there are commands.
    func maySleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    /// Notes that the thread takes no more commands.
    ///
    /// - Returns: The commands that were not taken.
    func endLoop() -> [Command] {
        state.withLock { state in
            state.poller = nil
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}

/// The thread that waits for sockets.
enum IOThread {
    /// Starts a thread that runs `body` and then ends.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // The thread names itself, because Foundation would name it too late: after `start` has returned to its
            // caller.
            ccurl_name_thread("Pledge.Curl")
            body()
        }
        thread.qualityOfService = .userInitiated
        thread.start()
    }
}

/// Waits for sockets and for a wake-up.
final class Poller: @unchecked Sendable {
    // The pointer never changes. Any thread may call `wake`; only the waiting thread calls the other methods.
    private let poller: OpaquePointer

    /// Creates a poller; nil if the system has no descriptor left.
    init?() {
        guard let poller = ccurl_poller_make() else { return nil }
        self.poller = poller
    }

    deinit { ccurl_poller_free(poller) }

    /// Sets the events to wait for on a socket.
    ///
    /// - Parameters:
    ///   - socket: The descriptor of the socket.
    ///   - bits: 1 to read, 2 to write, 3 for both; 0 to stop waiting.
    ///   - isKnown: True if the poller waits for the socket already.
    /// - Returns: False if the system refuses.
    @discardableResult
    func watch(_ socket: Int32, for bits: Int32, isKnown: Bool) -> Bool {
        ccurl_poller_watch(poller, socket, bits, isKnown)
    }

    /// Waits, and returns the number of sockets that are ready.
    ///
    /// - Parameter milliseconds: The maximum time in milliseconds; -1 for no limit.
    func wait(into ready: UnsafeMutableBufferPointer<ccurl_ready>, _ milliseconds: Int32) -> Int {
        guard let start = ready.baseAddress else { return 0 }
        return Int(ccurl_poller_wait(poller, start, Int32(ready.count), milliseconds))
    }

    /// Ends the current wait, or the next one if the thread is not waiting.
    func wake() { ccurl_poller_wake(poller) }
}
