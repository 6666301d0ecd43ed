#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import PledgeFutures
import PledgeHTTPNetworking

/// A function that gets the event loop on which a call begins, or the reason why the call cannot begin.
typealias LaneStart = @Sendable (Result<any EventLoop, any Error>) -> Void

/// The state of a request from its call to its end, over all attempts; any thread can end the request.
final class RequestLifetime: Sendable {
    private struct State {
        /// The reason why the request was ended from outside, such as a cancellation; nil if it was not.
        var reason: (any Error)?
        var isOver = false
        /// The number of the current attempt.
        var attempt = 1
        /// Fails the client's task; nil before the task exists, and after the end.
        var failTask: (@Sendable (any Error) -> Void)?
        /// True if the body is a stream that has not been sent completely.
        var isUploading = false
        /// The stream of the body, after it has been opened.
        var upload: HTTPBodyStream?
        /// The call's lane, which is the right to run; nil if the call has none.
        var lane: CallLane?
        /// The function to call when the call gets a lane, and the lane's host; nil if the call waits for no lane.
        var waiting: (host: String, start: LaneStart)?
        /// The use that keeps the client running; nil after the end has been reported.
        var client: ClientUse?
    }

    private let call: RequestAttempt
    private let state: Locked<State>

    var exchange: TransportExchange { call.exchange }

    init(_ call: RequestAttempt, keeping client: ClientUse? = nil) {
        self.call = call
        state = Locked(State(client: client))
    }

    /// True if the exchange has ended, or has been asked to end.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The reason why the request was ended from outside, such as a cancellation; nil if it was not.
    var reason: (any Error)? { state.withLock { $0.reason } }

    /// Keeps the function that fails the client's task; if the request has been ended, calls the function.
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

    /// Releases the client's task, because another attempt begins with its own task.
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

    /// Notes that a stream will be sent; the response may arrive before the stream is open.
    func willUpload() { state.withLock { $0.isUploading = true } }

    /// Notes that the body has been sent.
    func didUpload() {
        state.withLock { state in
            state.isUploading = false
            state.upload = nil
        }
    }

    /// True while a body is being sent.
    var isUploading: Bool { state.withLock { $0.isUploading } }

    /// Fails the exchange, by ending AsyncHTTPClient's task or the wait for a lane.
    ///
    /// It does nothing if the exchange has already ended.
    func endCall(with reason: any Error) {
        let last = close(reason)
        // The task fails before the upload is cancelled. Otherwise the cancelled upload would be reported as the
        // reason.
        last.failTask?(reason)
        letGo(of: last)
        last.waiting?.start(.failure(reason))
    }

    /// Releases everything, because the exchange has ended.
    ///
    /// - Returns: True if another call, which was waiting, has begun on the freed lane.
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

    /// Lets the client be shut down, because the end has been reported.
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
    /// Begins a call on a lane (the right to run), at once or when a lane becomes free.
    ///
    /// The call keeps the lane until the exchange ends, and its further attempts use the same lane.
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
