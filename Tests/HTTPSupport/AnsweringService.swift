package import PledgeFutures
package import PledgeHTTPMessages
import PledgeServices

/// A service that gives one answer after the other, each after ten milliseconds, and records the requests and
/// their times.
package final class AnsweringService<Output: Sendable>: Sendable {
    private struct State {
        var answers: ArraySlice<@Sendable () throws -> Output>
        var requests: [HTTPRequest] = []
        var instants: [Duration] = []
    }

    private let scheduler: ManualScheduler
    private let latency: Duration
    private let state: Locked<State>

    package init(
        on scheduler: ManualScheduler, latency: Duration = .milliseconds(10),
        _ answers: [@Sendable () throws -> Output]
    ) {
        self.scheduler = scheduler
        self.latency = latency
        state = Locked(State(answers: answers[...]))
    }

    /// Requests the next answer; if there is none, the call stays pending.
    package func send(_ request: HTTPRequest) -> Future<Output> {
        let answer = state.withLock { state in
            state.requests.append(request)
            state.instants.append(scheduler.now.offset)
            return state.answers.popFirst()
        }
        guard let answer else { return Promise<Output>() }
        return Future<Void>(value: ()).delay(latency, on: scheduler).map { try answer() }
    }

    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The time at which each request arrived.
    package var instants: [Duration] { state.withLock { $0.instants } }
}
