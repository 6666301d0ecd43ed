#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// Gets the event loop on which a call begins, or the reason why it can't.
typealias LaneStart = @Sendable (Result<any EventLoop, any Error>) -> Void

/// A request from its call to its end, over all attempts; any thread can end it.
final class RequestLifetime: Sendable {
    private struct State {
        /// Why the request was ended from outside, for example by a cancellation.
        var reason: (any Error)?
        var isOver = false
        var attempt = 1
        /// Fails the client's task; nil before the task exists and after its end.
        var failTask: (@Sendable (any Error) -> Void)?
        /// True if the body is a stream that hasn't been sent completely.
        var isUploading = false
        /// The open stream of the body.
        var upload: HTTPBodyStream?
        /// The call's lane, if it has one.
        var lane: CallLane?
        /// What to call when the call gets a lane, and the lane's host.
        var waiting: (host: String, start: LaneStart)?
        /// Keeps the client running; nil once the end was reported.
        var client: ClientUse?
    }

    private let call: RequestAttempt
    private let state: Locked<State>

    var exchange: TransportExchange { call.exchange }

    init(_ call: RequestAttempt, keeping client: ClientUse? = nil) {
        self.call = call
        state = Locked(State(client: client))
    }

    /// True if the exchange has ended, or was told to end.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Why the request was ended from outside, for example by a cancellation.
    var reason: (any Error)? { state.withLock { $0.reason } }

    /// Keeps the function that fails the client's task; if the request has been ended, calls it.
    ///
    /// An earlier attempt's function is ignored, because that attempt may have failed already.
    func hold(attempt: Int, _ failTask: @escaping @Sendable (any Error) -> Void) {
        let reason = state.withLock { state -> (any Error)? in
            if !state.isOver, attempt == state.attempt { state.failTask = failTask }
            return state.reason
        }
        if let reason { failTask(reason) }
    }

    /// Keeps the body that is being sent; cancels it if the exchange is over.
    func hold(upload: HTTPBodyStream, attempt: Int) {
        let isWanted = state.withLock { state in
            let isWanted = !state.isOver && attempt == state.attempt
            if isWanted { state.upload = upload }
            return isWanted
        }
        if !isWanted { upload.cancel() }
    }

    /// Releases the client's task, because the next attempt has its own.
    func restart() {
        if call.lanes == nil { exchange.expectNothing() } else { exchange.noteSign() }
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

    /// Records that a stream will be sent; the response may arrive before the stream is open.
    func willUpload() { state.withLock { $0.isUploading = true } }

    func didUpload() {
        state.withLock { state in
            state.isUploading = false
            state.upload = nil
        }
    }

    /// True while a body is being sent.
    var isUploading: Bool { state.withLock { $0.isUploading } }

    /// Fails the exchange, by ending AsyncHTTPClient's task or the wait for a lane; does nothing if it has ended.
    func endCall(with reason: any Error) {
        let last = close(reason)
        // The task first: otherwise the cancelled upload would be reported as the reason.
        last.failTask?(reason)
        letGo(of: last)
        last.waiting?.start(.failure(reason))
    }

    /// Releases everything, because the exchange has ended.
    ///
    /// - Returns: True if a waiting call has begun on the freed lane.
    @discardableResult
    func finish() -> Bool { letGo(of: close(nil)) }

    private func close(_ reason: (any Error)?) -> State {
        var last = State(reason: reason, isOver: true)
        state.withLock { state in
            if state.isOver { return }
            swap(&state, &last)
            state.client = last.client.take()
        }
        return last
    }

    /// Lets the client be shut down, because the end was reported.
    func releaseClient() { state.withLockThenRelease { $0.client.take() } }

    @discardableResult
    private func letGo(of last: State) -> Bool {
        last.upload?.cancel()
        if let host = last.waiting?.host { call.lanes?.withdraw(self, from: host) }
        guard let lane = last.lane, let lanes = call.lanes else { return false }
        return lanes.leave(lane)
    }
}

extension RequestLifetime: LaneUser {
    /// Begins a call on a lane, at once or when one becomes free.
    ///
    /// The call and its further attempts keep the lane until the exchange ends.
    func enterLane(of lanes: CallLanes, _ start: @escaping LaneStart) {
        if let lane = state.withLock({ $0.lane }) { return start(.success(lane.loop)) }
        let host = call.host
        let reason = state.withLock { state in
            if !state.isOver { state.waiting = (host, start) }
            return state.reason
        }
        if let reason { start(.failure(reason)) } else { lanes.enterLane(host, self) }
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
        do {
            try exchange.willSend()
            waiting.start(.success(lane.loop))
        } catch {
            waiting.start(.failure(error))
        }
    }

    func willWait() { exchange.waitForConnection() }
}
#endif
