import Dispatch
import Foundation
import PledgeFutures
import Synchronization
import TestSupport
import Testing

@Suite struct FutureAsyncTests {
    @Test func aSettledFutureIsReadAtOnce() async throws {
        #expect(try await Future(value: 3).value == 3)
        #expect(
            await Future<Int>(error: TestError(number: 1)).resultWhenSettled.failure
                == TestError(number: 1))
        await #expect(throws: TestError(number: 2)) {
            try await Future<Int>(error: TestError(number: 2)).value
        }
    }

    @Test func aPendingFutureIsAwaited() async throws {
        let promise = Promise<Int>()
        let task = Task { try await promise.map { $0 + 1 }.value }
        promise.resolve(with: 1)
        #expect(try await task.value == 2)
    }

    @Test func anAbandonedPromiseEndsTheWait() async {
        var promise: Promise<Int>? = Promise()
        let future = promise!.map { $0 }
        let task = Task { await future.resultWhenSettled }
        promise = nil
        #expect((await task.value.anyFailure as? FutureError)?.code == .abandoned)
    }

    @Test func aSettledFutureIsReadEvenByACancelledTask() async throws {
        let future = Future(value: 3)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await future.value
        }
        #expect(try await task.value == 3)
    }

    @Test func cancellingTheTaskGivesUpItsInterest() async {
        let promise = Promise<Int>()
        let (heard, hear) = makeSignal()
        promise.onCancel { hear() }
        let task = Task { await promise.map { $0 }.resultWhenSettled }
        task.cancel()
        #expect(await task.value.anyFailure is CancellationError)
        await heard()
        #expect(promise.isCancelled)
    }

    @Test func cancellingOneOfTwoTasksLeavesTheOtherItsValue() async throws {
        let promise = Promise<Int>()
        promise.onCancel {}
        let first = Task { await promise.resultWhenSettled }
        let second = Task { await promise.resultWhenSettled }
        promise.observe { _ in }
        first.cancel()
        #expect(await first.value.anyFailure is CancellationError)
        #expect(promise.result == nil)
        promise.resolve(with: 7)
        #expect(try await second.value.get() == 7)
    }

    @Test func aTaskCancelledBeforeItAwaitsGivesUp() async {
        let promise = Promise<Int>()
        let (heard, hear) = makeSignal()
        promise.onCancel { hear() }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.resultWhenSettled
        }
        #expect(await task.value.anyFailure is CancellationError)
        // Another thread notifies the producer.
        await heard()
        #expect(promise.isCancelled)
    }

    @Test func aFutureOfAnOperationHasItsResult() async {
        #expect(await Future { 3 }.resultWhenSettled.anyValue == 3)
        let failed = Future<Int> { throw TestError(number: 4) }
        #expect(await failed.resultWhenSettled.failure == TestError(number: 4))
    }

    @Test func cancellingAFutureCancelsItsOperation() async {
        let (started, start) = makeSignal()
        let (ended, end) = makeSignal()
        let future = Future<Int> {
            start()
            _ = await Future<Int>.never.resultWhenSettled
            end()
            return 1
        }
        await started()
        future.map { $0 }.cancel()
        await ended()
        #expect(future.isCancelled)
    }

    @Test func anOperationRunsWithoutAnyoneHoldingItsFuture() async {
        let (ended, end) = makeSignal()
        _ = Future<Void> { end() }
        await ended()
    }

    @Test func adaptersToAsyncLeadThereAndBack() async throws {
        let double = asFuture { (number: Int) async throws -> Int in
            if number < 0 { throw TestError(number: number) }
            return number * 2
        }
        #expect(try await double(4).value == 8)
        let awaited = awaiting(double)
        #expect(try await awaited(5) == 10)
        await #expect(throws: TestError(number: -1)) { try await awaited(-1) }
    }

    @Test func cancellingTheTaskOfAnAdapterReachesTheFuture() async {
        let promise = Promise<Int>()
        let (heard, hear) = makeSignal()
        promise.onCancel { hear() }
        let (begun, begin) = makeSignal()
        let load = awaiting { (_: Int) in
            begin()
            return promise
        }
        let task = Task { try await load(1) }
        await begun()
        task.cancel()
        await heard()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

/// Two functions: one waits for a signal, the other sends it.
private func makeSignal() -> (wait: @Sendable () async -> Void, give: @Sendable () -> Void) {
    let promise = Promise<Void>()
    return ({ _ = await promise.resultWhenSettled }, { promise.resolve(with: ()) })
}

extension Future {
    /// A future that settles only by cancellation.
    fileprivate static var never: Future {
        let promise = Promise<Value>()
        promise.onCancel { withExtendedLifetime(promise) {} }
        return promise
    }
}

extension Result where Failure == any Error {
    fileprivate var anyFailure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
    fileprivate var failure: TestError? { anyFailure as? TestError }
    fileprivate var anyValue: Success? { try? get() }
}

/// What an awaiting task retains, and where its continuation runs.
@Suite(.oneAtATime) struct AwaitingTests {
    @Test func awaitingDoesNotKeepAPromiseThatItsProducerForgot() async {
        @Sendable func load() -> Future<Int> {
            let promise = Promise<Int>()
            // The bug under test: the callback that should resolve the promise is dropped.
            return promise
        }
        await #expect(throws: FutureError.self) { try await load().get() }
        await #expect(throws: FutureError.self) { try await load().map { $0 }.get() }
        let loading = awaiting { (_: Int) in load() }
        await #expect(throws: FutureError.self) { try await loading(1) }
        let result = await load().resultWhenSettled
        #expect((result.error as? FutureError)?.code == .abandoned)
        let mapped = await load().map { $0 }.resultWhenSettled
        #expect((mapped.error as? FutureError)?.code == .abandoned)
        // Before, a debug build keeps the future in the expression.
        #if compiler(>=6.3)
        await #expect(throws: FutureError.self) { try await load().value }
        #endif
    }

    #if os(Linux) || os(macOS)
    @Test func aDebugReportNamesWhatIsAwaitedForTooLong() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            FutureDiagnostics.awaitingLimit = .milliseconds(1)
            let promise = Promise<Int>(fileID: "Test/Load.swift", line: 3)
            let task = Task { try await promise.map { $0 }.value }
            let cameTrue = await comesTrue { !reports.elements.isEmpty }
            precondition(cameTrue, "a report came")
            precondition(reports.elements[0].contains("Test/Load.swift:3"), "it names the line")
            promise.resolve(with: 1)
            let value = try? await task.value
            precondition(value == 1, "the report changed nothing")
        }
    }

    @Test func aDebugReportNamesPromisesThatFollowEachOther() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            FutureDiagnostics.awaitingLimit = .milliseconds(1)
            let first = Promise<Int>(fileID: "Test/Load.swift", line: 3)
            let second = Promise<Int>(fileID: "Test/Load.swift", line: 4)
            first.follow(second)
            second.follow(first)
            let task = Task { try await first.map { $0 }.value }
            let cameTrue = await comesTrue { !reports.elements.isEmpty }
            precondition(cameTrue, "a report came")
            let text = reports.elements[0]
            precondition(text.contains("waits for one that waits for itself"), "it tells why")
            precondition(text.contains("Test/Load.swift:3, Test/Load.swift:4"), "it names both")
            second.resolve(with: 1)
            let value = try? await task.value
            precondition(value == 1, "the report changed nothing")
        }
    }

    @Test func aSwitchTurnsOnReportsOfPromisesDroppedUnobserved() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            _ = Promise<Int>(fileID: "Test/Load.swift", line: 4)
            precondition(reports.elements.isEmpty, "off at first")
            FutureDiagnostics.reportsUnobservedPromises = true
            _ = Promise<Int>(fileID: "Test/Load.swift", line: 5)
            precondition(
                reports.elements.count == 1 && reports.elements[0].contains("Load.swift:5"))
        }
    }
    #endif

    /// An optimised build once delayed the retain of the task whose priority is raised until after the
    /// unlock.
    @Test func aTaskMayEndAndBeFreedWhileTheTaskThatAwaitsItRaisesIt() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var sum = 0
                    for index in 0..<25_000 { sum += try await Future { index }.value }
                    return sum
                }
            }
            for try await sum in group { #expect(sum == 25_000 * 24_999 / 2) }
        }
    }

    @Test func aCancelledTaskGoesOnWhileTheProducersHandlerBlocks() async {
        let (isHandling, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isOnCanceller = Locked<Bool?>(nil)
        let promise = Promise<Int>()
        promise.onCancel {
            isOnCanceller.withLock { $0 = Thread.current.name == "canceller" }
            isHandling.signal()
            mayEnd.wait()
        }
        let isAwaiting = Atomic<Bool>(false)
        let task = Task {
            isAwaiting.store(true, ordering: .releasing)
            return await promise.resultWhenSettled
        }
        #expect(await comesTrue { isAwaiting.load(ordering: .acquiring) })
        await withCheckedContinuation { continuation in
            Thread {
                Thread.current.name = "canceller"
                task.cancel()
                continuation.resume()
            }.start()
        }
        // The task ends although the handler still runs.
        let result = await task.value
        #expect(result.error is CancellationError)
        await withCheckedContinuation { continuation in
            Thread {
                isHandling.wait()
                continuation.resume()
            }.start()
        }
        #expect(isOnCanceller.withLock { $0 } == false)
        mayEnd.signal()
    }

    #if compiler(>=6.2)
    @Test func awaitingRaisesTheTaskThatAFutureIsMadeOf() async {
        let seen = Locked<[TaskPriority]>([])
        let mayEnd = Atomic<Bool>(false)
        let future = Future(priority: .background) {
            while !mayEnd.load(ordering: .acquiring) {
                seen.withLock { $0 = [Task.currentPriority] }
                await Task.yield()
            }
            return 1
        }
        let derived = Future.all([future.map { $0 }, future]).map { $0[0] }
        #expect(await comesTrue { seen.withLock { $0 } == [.background] })
        let task = Task(priority: .high) { await derived.resultWhenSettled }
        #expect(await comesTrue { seen.withLock { $0 } == [.high] })
        mayEnd.store(true, ordering: .releasing)
        #expect(await task.value.error == nil)
    }
    #endif

    @Test func awaitingTakesNoLongerTheMoreWaysLeadUp() async throws {
        let promise = Promise<Int>()
        var layer: [Future<Int>] = Array(repeating: promise, count: 10)
        for _ in 0..<12 {
            let below = layer
            layer = (0..<10).map { _ in Future.all(below).map { $0.count } }
        }
        let task = Task { [last = layer[0]] in try await last.value }
        // A task that walked each of the 10¹² paths would not finish.
        promise.resolve(with: 1)
        #expect(try await task.value == 10)
    }
}

extension Result {
    fileprivate var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

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

    @Test func anAsyncFutureRunsAndResumesInItsTasksHome() {
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

    @Test func aCancelledTaskGivesUpItsInterestInItsHome() {
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

    @Test func taskHomesNestAndEnd() async throws {
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
