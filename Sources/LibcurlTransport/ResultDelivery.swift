import Dispatch
import PledgeFutures

/// Delivers the I/O thread's results to callers, where the transport's `Delivery` says.
final class ResultDelivery: Sendable {
    /// A closure that delivers a result.
    ///
    /// A struct, since a closure stored directly in an array would be wrapped again each time it is stored.
    struct Job: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    fileprivate struct State {
        var jobs: [Job] = []
        /// The index of the first job that has not been taken.
        var first = 0
        /// Whether a thread has been requested that has not begun.
        var isStarting = false
    }

    private let delivery: CurlTransport.Delivery
    private let state = Locked(State())

    init(_ delivery: CurlTransport.Delivery) { self.delivery = delivery }

    /// Runs jobs, and leaves the array empty.
    func deliver(_ jobs: inout [Job]) {
        switch delivery {
        case .inline: for job in jobs { job.run() }
        case .serial(let queue): queue.async { [jobs] in for job in jobs { job.run() } }
        case .concurrent:
            let starts = state.withLock { state in
                state.add(&jobs)
                return state.start()
            }
            if starts { start() }
        }
        jobs.removeAll(keepingCapacity: true)
    }

    /// Runs one job.
    func deliver(_ job: @escaping @Sendable () -> Void) {
        var jobs = [Job(job)]
        deliver(&jobs)
    }

    private func start() { DispatchQueue.global().async { self.work() } }

    /// Runs jobs until there are none.
    ///
    /// A job may block. So a thread that takes one job and leaves others requests another thread, unless one
    /// has been requested and has not begun. Usually this thread runs all jobs before the other begins.
    private func work() {
        state.withLock { $0.isStarting = false }
        while true {
            let (job, starts) = state.withLock { state in (state.take(), state.start()) }
            if starts { start() }
            guard let job else { return }
            job.run()
        }
    }
}

extension ResultDelivery.State {
    /// Adds jobs, usually by swapping the arrays, so that the thread that runs the jobs frees them.
    fileprivate mutating func add(_ jobs: inout [ResultDelivery.Job]) {
        if self.jobs.isEmpty { swap(&self.jobs, &jobs) } else { self.jobs += jobs }
    }

    /// Whether to request a thread.
    fileprivate mutating func start() -> Bool {
        guard first < jobs.count, !isStarting else { return false }
        isStarting = true
        return true
    }

    fileprivate mutating func take() -> ResultDelivery.Job? {
        guard first < jobs.count else { return nil }
        let job = jobs[first]
        jobs[first] = ResultDelivery.Job {}
        first += 1
        if first == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            first = 0
        }
        return job
    }
}
