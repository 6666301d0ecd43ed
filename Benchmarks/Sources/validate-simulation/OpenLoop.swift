import Foundation
import Pledge
import Synchronization

/// Makes calls at their times, whether or not earlier ones have ended.
final class OpenLoop: Sendable {
    private struct State {
        /// When each call ended, in seconds; nil if it has not, or has failed.
        var ends: [Double?]
        var pending = 0
    }

    private let arrivals: ArrivalTimes
    private let beginning = ContinuousClock.now
    private let state: Mutex<State>

    private init(_ arrivals: ArrivalTimes) {
        self.arrivals = arrivals
        state = Mutex(State(ends: Array(repeating: nil, count: arrivals.seconds.count)))
    }

    /// Makes all calls, and waits for their ends.
    ///
    /// - Returns: How long each successful call took, from the time at which it was to be made; and by how much 99 of
    ///   100 calls were made late at most. In seconds.
    static func run(
        _ arrivals: ArrivalTimes, _ call: (Int) -> Future<Data>
    ) -> (times: [Double], delay: Double) {
        let loop = OpenLoop(arrivals)
        let delay = loop.makeCalls(call)
        while loop.state.withLock({ $0.pending > 0 }) { Thread.sleep(forTimeInterval: 0.01) }
        let ends = loop.state.withLock { $0.ends }
        let times = zip(arrivals.seconds, ends).compactMap { begin, end in end.map { $0 - begin } }
        return (times, delay)
    }

    private func makeCalls(_ call: (Int) -> Future<Data>) -> Double {
        var delays: [Double] = []
        for (number, time) in arrivals.seconds.enumerated() {
            // Each sleep ends at a time of the plan, so that delays do not add up.
            while now < time { Thread.sleep(forTimeInterval: time - now) }
            delays.append(now - time)
            state.withLock { $0.pending += 1 }
            call(number).observe { [self] result in
                let end = now
                state.withLock {
                    if case .success = result { $0.ends[number] = end }
                    $0.pending -= 1
                }
            }
        }
        return delays.sorted().percentile(99) ?? 0
    }

    /// The time since the beginning, in seconds.
    private var now: Double { (ContinuousClock.now - beginning) / .seconds(1) }
}
