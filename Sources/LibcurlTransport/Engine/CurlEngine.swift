import CCurl
import Futures
import HTTPNetworking

/// The thread that does all that a transport does with libcurl, as other threads see it.
///
/// Others leave commands, which the thread takes all at once; it is woken by the first of them, if it
/// sleeps. The thread ends when it is closed, or when it is released by its transport and the last call has
/// ended.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case start(CurlCall, EasyHandle)
        /// Ends a call before its time.
        case end(CurlCall, any Error)
        /// There is room for more of the body of a call's response.
        case receive(CurlCall)
        /// There is more of the body of a call's request.
        case send(CurlCall)
        /// Ends when the last call has.
        case drain
        /// Ends all calls, and then itself.
        case close
    }

    private struct State {
        /// Nil when the thread has ended: nobody is woken any more, and its descriptors are closed.
        var poller: Poller?
        var commands: [Command] = []
        /// Whether the thread waits, or is about to.
        var isSleeping = false
        /// Whether calls are refused.
        var isClosed = false

        /// Whether the thread has ended, so that nobody takes commands any more.
        var hasEnded: Bool { poller == nil }
    }

    let delivery: ResultDelivery
    let handles: HandlePool
    let ended = InternalPromise<Void>()
    private let state: Locked<State>

    /// Starts the thread.
    ///
    /// - Throws: `HTTPError` where the system has no descriptor left.
    init(_ options: CurlOptions, delivery: ResultDelivery) throws(HTTPError) {
        guard let poller = Poller() else {
            throw HTTPError(code: .other, reason: "the system has no descriptor left")
        }
        state = Locked(State(poller: poller))
        self.delivery = delivery
        handles = HandlePool(options)
        IOThread.start {
            guard let loop = CurlLoop(self, poller, options) else { return self.giveUp() }
            loop.run()
        }
    }

    /// Fails all calls, since there is no memory for the loop.
    private func giveUp() {
        for command in end() {
            guard case .start(let call, let handle) = command else { continue }
            handles.giveBack(handle)
            call.fail(with: call.failure(.other, reason: "there is no memory"))
        }
        ended.resolve()
    }

    /// Leaves a command; false where the thread has ended, or where it starts a call and is closed.
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

    /// Takes all commands, by swapping them for an empty array that keeps its room.
    func take(into commands: inout [Command]) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.commands, &commands)
        }
    }

    /// Says that the thread is about to sleep; false where there are commands.
    func maySleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    /// Says that the thread takes no more commands: those that were left.
    func end() -> [Command] {
        state.withLock { state in
            state.poller = nil
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}
