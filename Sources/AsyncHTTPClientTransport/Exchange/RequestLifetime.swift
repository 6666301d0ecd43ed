#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore

/// Begins a call on an event loop, or is told why there will be none.
typealias LaneStart = @Sendable (Result<any EventLoop, any Error>) -> Void

/// What a request holds from its call to its end, over all attempts, and by what it is ended from outside.
final class RequestLifetime: Sendable {
    private struct State {
        /// Why it was ended from outside.
        var reason: (any Error)?
        var isOver = false
        /// Which time the request is being sent.
        var attempt = 1
        /// Fails the client's task; nil before there is one, and after the end.
        var failTask: (@Sendable (any Error) -> Void)?
        var deadline: (any ScheduledAction)?
        /// Whether a body that is a stream is to be sent, and has not been.
        var isUploading = false
        /// That stream, once it has been opened.
        var upload: HTTPBodyStream?
        /// When something last came or went; nil while nothing is to be expected.
        var lastSign: SchedulerInstant?
        /// The place among those who are watched.
        var place: Int?
        /// What the call is made on.
        var lane: CallLane?
        /// Who waits for a lane, and of which host; nil where nobody does.
        var waiting: (host: String, start: LaneStart)?
    }

    private let call: RequestAttempt
    /// What notices that nothing happens; nil where that may last.
    private let watches: IdleWatches?
    private let state = Locked(State())

    init(_ call: RequestAttempt) {
        self.call = call
        watches = call.lease.watches
    }

    /// Whether the exchange has ended, or was told to.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Why it was ended from outside, nil where it was not.
    var reason: (any Error)? { state.withLock { $0.reason } }

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
        if call.lanes == nil { expectNothing() } else { noteSign() }
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

    /// Says that a stream is to be sent, which may be answered before it is opened.
    func willUpload() { state.withLock { $0.isUploading = true } }

    /// Says that the body to be sent has been.
    func didUpload() {
        state.withLock { state in
            state.isUploading = false
            state.upload = nil
        }
    }

    /// Whether a body is to be sent that is not done yet.
    var isUploading: Bool { state.withLock { $0.isUploading } }

    /// Ends the exchange because its result is not wanted.
    func cancel() { end(with: CancellationError()) }

    /// Ends the exchange.
    ///
    /// Harmless after the end.
    func end(with reason: any Error) {
        let last = close(reason)
        // First, or the exchange would seem to have failed because of its upload.
        last.failTask?(reason)
        letGo(of: last)
        last.waiting?.start(.failure(reason))
    }

    /// Lets go of everything, since the exchange has ended.
    /// - Returns: Whether a call that was waiting has begun in its place.
    @discardableResult
    func finish() -> Bool { letGo(of: close(nil)) }

    private func close(_ reason: (any Error)?) -> State {
        var last = State(reason: reason, isOver: true)
        state.withLock { if !$0.isOver { swap(&$0, &last) } }
        return last
    }

    @discardableResult
    private func letGo(of last: State) -> Bool {
        last.deadline?.cancel()
        last.upload?.cancel()
        if let place = last.place { watches?.remove(place) }
        if let host = last.waiting?.host { call.lanes?.withdraw(self, from: host) }
        guard let lane = last.lane, let lanes = call.lanes else { return false }
        return lanes.leave(lane)
    }
}

extension RequestLifetime: LaneUser {
    /// Begins a call on a lane, now or when its turn has come.
    ///
    /// It is left when the exchange ends; until then the call may be made once more on it.
    func enter(_ lanes: CallLanes, _ start: @escaping LaneStart) {
        if let lane = state.withLock({ $0.lane }) { return start(.success(lane.loop)) }
        let host = call.host
        let reason = state.withLock { state in
            if !state.isOver {
                state.lastSign = nil
                state.waiting = (host, start)
            }
            return state.reason
        }
        if let reason { start(.failure(reason)) } else { lanes.enter(host, self) }
    }

    func start(on lane: CallLane) {
        let waiting = state.withLock { state in
            if state.waiting != nil { state.lane = lane }
            return state.waiting.take()
        }
        guard let waiting else {
            call.lanes?.leave(lane)
            return
        }
        noteSign()
        waiting.start(.success(lane.loop))
    }

    func endWait(after limit: Duration) { end(with: call.failure(by: .freeConnection(limit))) }
}

extension RequestLifetime: IdleWatched {
    /// Begins to see to it that the exchange ends where nothing comes or goes for too long.
    ///
    /// Nothing is to be expected before the call has a connection.
    func watch() {
        guard let watches else { return }
        let place = watches.add(self)
        let isOver = state.withLock { state in
            if !state.isOver { state.place = place }
            return state.isOver
        }
        if isOver { watches.remove(place) }
    }

    /// Says that something has come or gone, or is asked for now.
    func noteSign() {
        guard let now = watches?.scheduler.now else { return }
        state.withLock { $0.lastSign = now }
    }

    /// Says that nothing is to be expected until something is noted.
    func expectNothing() {
        if watches != nil { state.withLock { $0.lastSign = nil } }
    }

    var lastSign: SchedulerInstant? { state.withLock { $0.lastSign } }

    func timeOut() { end(with: call.failure(by: .idle(watches?.limit ?? .zero))) }
}
#endif
