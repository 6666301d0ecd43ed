import Dispatch
import Futures

/// Tells callers what the I/O thread has for them, where they want to be told.
final class ResultDelivery: Sendable {
    typealias Job = @Sendable () -> Void

    fileprivate struct State {
        var jobs: [Job] = []
        /// The first of the jobs that is not taken.
        var first = 0
        /// Whether a thread was asked for that has not begun.
        var isStarting = false
    }

    private let delivery: CurlTransport.Delivery
    private let state = Locked(State())

    init(_ delivery: CurlTransport.Delivery) { self.delivery = delivery }

    /// Runs jobs, and leaves the array empty.
    func deliver(_ jobs: inout [Job]) {
        switch delivery {
        case .inline: for job in jobs { job() }
        case .serial(let queue): queue.async { [jobs] in for job in jobs { job() } }
        case .concurrent:
            let starts = state.withLock { state in
                state.jobs += jobs
                return state.start()
            }
            if starts { start() }
        }
        jobs.removeAll(keepingCapacity: true)
    }

    /// Runs one job.
    func deliver(_ job: @escaping Job) {
        var jobs = [job]
        deliver(&jobs)
    }

    private func start() { DispatchQueue.global().async { self.work() } }

    /// Runs jobs until there are none.
    ///
    /// A job may block. So a thread that takes one and leaves others asks for another thread, unless
    /// one was asked for and has not begun: most often this one is done with all before.
    private func work() {
        state.withLock { $0.isStarting = false }
        while true {
            let (job, starts) = state.withLock { state in (state.take(), state.start()) }
            if starts { start() }
            guard let job else { return }
            job()
        }
    }
}

extension ResultDelivery.State {
    /// Whether a thread is to be asked for.
    fileprivate mutating func start() -> Bool {
        guard first < jobs.count, !isStarting else { return false }
        isStarting = true
        return true
    }

    fileprivate mutating func take() -> ResultDelivery.Job? {
        guard first < jobs.count else { return nil }
        let job = jobs[first]
        jobs[first] = {}
        first += 1
        if first == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            first = 0
        }
        return job
    }
}
