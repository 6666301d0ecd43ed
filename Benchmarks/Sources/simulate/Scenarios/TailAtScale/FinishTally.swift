import PledgeFutures

/// The times at which one leaf, 95 % of the leaves, and all leaves of each request had finished, in seconds.
struct FinishTimes: Sendable {
    /// A leaf of each request, chosen independently of its speed.
    var oneLeaf: [Double] = []
    /// The leaf that completes 95 % of the leaves.
    var mostLeaves: [Double] = []
    /// The last leaf.
    var allLeaves: [Double] = []

    /// Returns a percentile of times.
    static func percentile(_ percentile: Double, of times: [Double]) -> Double? {
        let rank = (Double(times.count) * percentile / 100).rounded(.up)
        return times.isEmpty ? nil : times.sorted()[max(Int(rank), 1) - 1]
    }
}

/// Records when the leaves of one request after another finish.
final class FinishTally: Sendable {
    private struct State {
        var times = FinishTimes()
        var start = SchedulerInstant(offset: .zero)
        var finished = 0
        var requests = 0
    }

    private let leaves: Int
    private let state = Locked(State())

    init(of leaves: Int) { self.leaves = leaves }

    var times: FinishTimes { state.withLock { $0.times } }

    /// Begins a request, once all leaves of the previous one have finished.
    func begin(at start: SchedulerInstant) {
        state.withLock {
            $0.start = start
            $0.finished = 0
            $0.requests += 1
        }
    }

    /// Records that a leaf has finished.
    func end(_ leaf: Int, at end: SchedulerInstant) {
        state.withLock { state in
            let time = state.start.duration(to: end) / .seconds(1)
            state.finished += 1
            if leaf == state.requests * 7_919 % leaves { state.times.oneLeaf.append(time) }
            if state.finished == leaves * 95 / 100 { state.times.mostLeaves.append(time) }
            if state.finished == leaves { state.times.allLeaves.append(time) }
        }
    }
}
