import Dispatch
import PledgeFutures

/// Delivers results from the I/O thread to callers, on the threads that the transport's `Delivery` names.
final class ResultDelivery: Sendable {
    /// A closure that delivers a result.
    ///
    /// The closure is in a struct, because Swift would wrap it again each time it is stored directly in an array.
    struct Job: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    fileprivate struct State {
        var jobs: [Job] = []
        /// The index of the first job that no thread has taken.
        var first = 0
        /// True if a thread has been requested and has not begun.
        var isStarting = false
    }

    private let delivery: CurlTransport.Delivery
    private let state = Locked(State())

    init(_ delivery: CurlTransport.Delivery) { self.delivery = delivery }

    /// Runs the jobs, and empties the array.
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

    /// Runs jobs until none is left.
    ///
    /// A job may block. So a thread that takes a job and leaves others behind requests another thread. There is never
    /// more than one requested thread that hasn't begun yet. Usually the first thread runs all jobs before the
    /// requested thread begins.
    private func work() {
        state.withLock { $0.isStarting = false }
        while true {
            let (job, starts) = state.withLock { state in (state.takeJob(), state.start()) }
            if starts { start() }
            guard let job else { return }
            job.run()
        }
    }
}

extension ResultDelivery.State {
    /// Adds jobs.
    ///
    /// Usually no earlier jobs are left, and the two arrays are swapped. Then the thread that runs the jobs also frees
    /// them.
    fileprivate mutating func add(_ jobs: inout [ResultDelivery.Job]) {
        if self.jobs.isEmpty { swap(&self.jobs, &jobs) } else { self.jobs += jobs }
    }

    /// Returns whether to request a thread, and notes that one is requested.
    fileprivate mutating func start() -> Bool {
        guard first < jobs.count, !isStarting else { return false }
        isStarting = true
        return true
    }

    fileprivate mutating func takeJob() -> ResultDelivery.Job? {
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
