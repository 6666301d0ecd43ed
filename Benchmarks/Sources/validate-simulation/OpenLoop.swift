import Foundation
import Pledge
import Synchronization

/// Makes calls at their scheduled times, whether earlier calls have ended or not.
final class OpenLoop: Sendable {
    private struct State {
        /// The end of each call, in seconds; nil if it has not ended, or has failed.
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

    /// Makes all calls, and waits until they end.
    ///
    /// - Returns: The times of the successful calls, from their scheduled starts, and the 99th percentile of the delays
    ///   of the starts. Both are in seconds.
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
            // Each sleep ends at a scheduled time, so that delays don't add up.
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
