import PledgeFutures
import TestSupport
import Testing

/// The tasks of futures stay with the home of their thread.
@Suite struct TaskHomeTests {
    /// Keeps jobs and closures until a test runs them.
    private final class Desk: TaskExecutor {
        private let jobs = Locked<[UnownedJob]>([])
        private let closures = Locked<[@Sendable () -> Void]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }

        var home: TaskHome {
            TaskHome(executor: self) { [self] body in closures.withLock { $0.append(body) } }
        }

        func takeJobs() -> [UnownedJob] {
            jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
        }

        /// How many closures and jobs it has run.
        func run() -> (closures: Int, jobs: Int) {
            var count = (closures: 0, jobs: 0)
            while true {
                let bodies = closures.withLock { closures in
                    defer { closures = [] }
                    return closures
                }
                let jobs = takeJobs()
                if bodies.isEmpty, jobs.isEmpty { return count }
                for body in bodies { body() }
                for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
                count.closures += bodies.count
                count.jobs += jobs.count
            }
        }
    }

    @Test func anAsyncFutureRunsThereAndResumesThere() {
        let (desk, promise) = (Desk(), Promise<Int>())
        desk.home.bind {
            let future = Future { try await promise.value + 1 }
            #expect(desk.run().jobs == 1 && !future.isSettled)
            promise.resolve(with: 1)
            #expect(!future.isSettled)
            #expect(desk.run().jobs == 1)
            #expect((try? future.result?.get()) == 2)
        }
    }

    @Test func aCancelledTaskGivesUpItsInterestThere() {
        let (desk, promise, isGivenUp) = (Desk(), Promise<Int>(), Locked(false))
        promise.onCancel { isGivenUp.withLock { $0 = true } }
        desk.home.bind {
            let future = Future { try await promise.value }
            _ = desk.run()
            future.cancel()
            #expect(!isGivenUp.withLock { $0 })
            #expect(desk.run() == (closures: 1, jobs: 1))
            #expect(isGivenUp.withLock { $0 })
        }
    }

    @Test func homesNestAndEnd() async throws {
        let (outer, inner) = (Desk(), Desk())
        outer.home.bind {
            let first = inner.home.bind { Future { 1 } }
            let second = Future { 2 }
            #expect(inner.run().jobs == 1 && first.isSettled && !second.isSettled)
            #expect(outer.run().jobs == 1 && second.isSettled)
        }
        #expect(try await Future { 3 }.value == 3)
        #expect(outer.run().jobs == 0)
    }
}
