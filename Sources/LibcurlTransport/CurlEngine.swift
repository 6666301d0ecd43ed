import CPledgeCurl
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// A transport's I/O thread, which performs all transfers, as other threads see it.
///
/// Other threads submit commands, which the I/O thread takes all at once. The first command wakes it if it sleeps. The
/// thread ends when the engine is closed, or when the transport was released and its last call has ended.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case start(TransportExchange, EasyHandle)
        case end(TransportExchange, any Error)
        /// Continue to receive, because the reader has room for more bytes.
        case receive(TransportExchange)
        /// Continue to send, because the request's body has more bytes.
        case send(TransportExchange)
        /// End the thread after the last call.
        case drain
        /// End all calls, and then the thread.
        case close
    }

    private struct State {
        /// Nil once the thread has ended: there is nothing to wake, and the poller's descriptors are closed.
        var poller: Poller?
        var commands: [Command] = []
        /// True while the thread waits, or is about to.
        var isSleeping = false
        /// True if new calls are refused.
        var isClosed = false

        var hasEnded: Bool { poller == nil }
    }

    let delivery: ResultDelivery
    let handles: HandlePool
    let limits: TransportExchange.Limits
    /// The clock of the time limits.
    let scheduler: any FutureScheduler
    let ended = InternalPromise<Void>()
    private let state: Locked<State>

    /// Starts the thread; throws if the system has no file descriptor left.
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

    /// Returns false if the thread has ended, or if the command starts a call and the engine is closed.
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

    /// Swaps the commands with an empty array, whose capacity is reused.
    func takeCommands(into commands: inout [Command]) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
        }
    }

    /// Marks the thread as sleeping; returns false if there are commands.
    func maySleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    /// Ends the acceptance of commands; returns those that are left.
    func endLoop() -> [Command] {
        state.withLock { state in
            state.poller = nil
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}

enum IOThread {
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // The thread names itself: Foundation would do it only after `start` has returned.
            ccurl_name_thread("Pledge.Curl")
            body()
        }
        thread.qualityOfService = .userInitiated
        thread.start()
    }
}

final class Poller: @unchecked Sendable {
    // Unchecked: any thread may call `wake`, and only the waiting thread calls the other methods.
    private let poller: OpaquePointer

    /// Returns nil if the system has no file descriptor left.
    init?() {
        guard let poller = ccurl_poller_make() else { return nil }
        self.poller = poller
    }

    deinit { ccurl_poller_free(poller) }

    /// Sets what to wait for on a socket.
    ///
    /// - Parameters:
    ///   - socket: The descriptor.
    ///   - bits: 1 to read, 2 to write, 3 for both; 0 to stop waiting.
    ///   - isKnown: True if the poller already has the socket.
    /// - Returns: False if the system refuses.
    @discardableResult
    func watch(_ socket: Int32, for bits: Int32, isKnown: Bool) -> Bool {
        ccurl_poller_watch(poller, socket, bits, isKnown)
    }

    /// Waits, and returns how many sockets are ready.
    ///
    /// - Parameter milliseconds: The longest wait; -1 for no limit.
    func wait(into ready: UnsafeMutableBufferPointer<ccurl_ready>, _ milliseconds: Int32) -> Int {
        guard let start = ready.baseAddress else { return 0 }
        return Int(ccurl_poller_wait(poller, start, Int32(ready.count), milliseconds))
    }

    /// Ends the current wait, or the next one.
    func wake() { ccurl_poller_wake(poller) }
}
