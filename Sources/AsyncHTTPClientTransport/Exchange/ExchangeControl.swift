#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import HTTPNetworking

/// By what an exchange is ended from outside, whatever it has come to.
final class ExchangeControl: Sendable {
    private struct State {
        /// Why it was ended from outside.
        var reason: (any Error)?
        var isOver = false
        /// Which time the request is being sent.
        var attempt = 1
        /// Fails the client's task; nil before there is one, and after the end.
        var failTask: (@Sendable (any Error) -> Void)?
        var deadline: (any ScheduledAction)?
        /// The body that is being sent.
        var upload: HTTPBodyStream?

        func letGo() {
            deadline?.cancel()
            upload?.cancel()
        }
    }

    /// What notices that nothing happens.
    let watch: IdleWatch?

    private let state = Locked(State())

    init(_ watch: IdleWatch?) { self.watch = watch }

    /// Whether the exchange has ended, or was told to.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes what fails the client's task; calls it where the exchange was ended before.
    ///
    /// The task of an earlier attempt, which may have failed already, is not wanted.
    func hold(attempt: Int, _ failTask: @escaping @Sendable (any Error) -> Void) {
        let reason = state.withLock { state -> (any Error)? in
            if !state.isOver, attempt == state.attempt { state.failTask = failTask }
            return state.reason
        }
        if let reason { failTask(reason) }
    }

    /// Takes the timer of the deadline.
    func hold(_ deadline: any ScheduledAction) {
        let isOver = state.withLock { state in
            if !state.isOver { state.deadline = deadline }
            return state.isOver
        }
        if isOver { deadline.cancel() }
    }

    /// Takes the body that is being sent; cancels it where the exchange is over.
    func hold(upload: HTTPBodyStream, attempt: Int) {
        let isWanted = state.withLock { state in
            let isWanted = !state.isOver && attempt == state.attempt
            if isWanted { state.upload = upload }
            return isWanted
        }
        if !isWanted { upload.cancel() }
    }

    /// Forgets the client's task, since another one is begun.
    func restart() {
        watch?.note()
        let upload = state.withLock { state in
            defer {
                state.attempt += 1
                state.failTask = nil
                state.upload = nil
            }
            return state.upload
        }
        upload?.cancel()
    }

    /// Says that the body to be sent has been.
    func didUpload() { state.withLock { $0.upload = nil } }

    /// Whether a body is being sent that is not done yet.
    var isUploading: Bool { state.withLock { $0.upload != nil } }

    /// Ends the exchange because its result is not wanted.
    func cancel() { end(with: CancellationError()) }

    /// Ends the exchange.
    ///
    /// Harmless after the end.
    func end(with reason: any Error) {
        let last = close(reason)
        // First, or the exchange would seem to have failed because of its upload.
        last.failTask?(reason)
        last.letGo()
    }

    /// Lets go of everything, since the exchange has ended.
    func finish() { close(nil).letGo() }

    private func close(_ reason: (any Error)?) -> State {
        watch?.stop()
        return state.withLock { state in
            defer { if !state.isOver { state = State(reason: reason, isOver: true) } }
            return state
        }
    }
}
#endif
