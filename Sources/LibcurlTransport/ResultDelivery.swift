import Dispatch
import PledgeFutures

/// Delivers results from the I/O thread to callers, on the threads that the transport's `Delivery` names.
final class ResultDelivery: Sendable {
    /// A closure, in a struct, because Swift wraps a closure again each time that it's stored directly in an array.
    struct Job: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    fileprivate struct State {
        var jobs: [Job] = []
        /// The first job that no thread has taken.
        var first = 0
        /// True if a thread was requested and hasn't begun.
        var isStarting = false
    }

    private let delivery: CurlTransport.Delivery
    private let state = Locked(State())

    init(_ delivery: CurlTransport.Delivery) { self.delivery = delivery }

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

    func deliver(_ job: @escaping @Sendable () -> Void) {
        var jobs = [Job(job)]
        deliver(&jobs)
    }

    private func start() { DispatchQueue.global().async { self.work() } }

    /// Runs jobs until none is left.
    ///
    /// A job may block. So a thread that takes a job and leaves others requests another thread, unless one is already
    /// on its way. Usually the first thread has run all jobs before the next one begins.
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
    /// Usually no jobs are left, and the two arrays are swapped, so that the running thread frees the jobs.
    fileprivate mutating func add(_ jobs: inout [ResultDelivery.Job]) {
        if self.jobs.isEmpty { swap(&self.jobs, &jobs) } else { self.jobs += jobs }
    }

    /// Returns whether to request a thread, and records that one is requested.
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
