import Foundation
import PledgeFutures
import TestSupport
import Testing

/// Loops made of `flatMap` and `flatMapError` stay in constant memory.
@Suite(.oneAtATime) struct LinkingTests {
    /// Counts the living futures of a loop's turns.
    private final class Census: Sendable {
        private struct Reference: @unchecked Sendable { weak var future: Future<Int>? }
        private let references = Locked<[Reference]>([])

        func count(_ future: Future<Int>) -> Future<Int> {
            references.withLock { list in
                list.append(Reference(future: future))
                if list.count % 1000 == 0 { list.removeAll { $0.future == nil } }
            }
            return future
        }

        var living: Int { references.withLock { $0.count { $0.future != nil } } }
    }

    /// A loop of many turns; every `period`th step is pending until the test settles it.
    private final class Loop: Sendable {
        let census = Census()
        private let pending = Locked<Promise<Int>?>(nil)
        private let period: Int

        init(settlingEvery period: Int) { self.period = period }

        private func step(_ turn: Int) -> Future<Int> {
            guard turn % period == 0 else { return Future(value: turn) }
            let promise = Promise<Int>()
            pending.withLock { $0 = promise }
            return promise
        }

        func turn(_ left: Int) -> Future<Int> {
            if left == 0 { return Future(value: 42) }
            return census.count(step(left).flatMap { self.turn($0 - 1) })
        }

        func turnByError(_ left: Int) -> Future<Int> {
            if left == 0 { return Future(value: 42) }
            return census.count(
                step(left).flatMap { Future<Int>(error: TestError(number: $0)) }
                    .flatMapError { error in
                        self.turnByError(((error as? TestError)?.number ?? 0) - 1)
                    })
        }

        /// Settles the pending step.
        /// - Returns: False if there is none.
        func settle(_ turn: Int) -> Bool {
            let promise = pending.withLock { promise in
                defer { promise = nil }
                return promise
            }
            return promise?.resolve(with: turn) ?? false
        }

        /// Runs to the end, and returns the maximum number of living futures.
        func run(from turns: Int) -> Int {
            var peak = 0
            for turn in stride(from: turns, to: 0, by: -1) where turn % period == 0 {
                #expect(settle(turn))
                if turn % 64 == 0 { peak = max(peak, census.living) }
            }
            return peak
        }
    }

    @Test(arguments: [1, 2, 3, 50])
    func aLoopOfFlatMapsHoldsAFewFuturesAtOnce(settlingEvery period: Int) {
        let loop = Loop(settlingEvery: period)
        let future = loop.turn(12_800)
        #expect(loop.run(from: 12_800) < 40)
        #expect(future.valueNow == 42)
    }

    @Test(arguments: [1, 2, 50])
    func aLoopOfRecoveriesHoldsAFewFuturesAtOnce(settlingEvery period: Int) {
        let loop = Loop(settlingEvery: period)
        let future = loop.turnByError(12_800)
        #expect(loop.run(from: 12_800) < 40)
        #expect(future.valueNow == 42)
    }

    @Test func everyoneWhoHoldsAFutureOfALoopGetsTheResult() {
        let loop = Loop(settlingEvery: 1)
        let results = TestLog<Int>()
        let held = TestLog<Future<Int>>()
        @Sendable func turn(_ left: Int) -> Future<Int> {
            let future = left == 0 ? loop.turn(100) : loop.turn(1).flatMap { _ in turn(left - 1) }
            if left % 2 == 0 {
                future.observe { _ in results.append(left) }
                held.append(future)
            }
            return future
        }
        let future = turn(10)
        for _ in 0..<10 { #expect(loop.settle(1)) }
        _ = loop.run(from: 100)
        #expect(future.valueNow == 42)
        #expect(held.elements.map(\.valueNow) == Array(repeating: 42, count: 6))
        #expect(Set(results.elements) == [0, 2, 4, 6, 8, 10])
        #expect(results.elements.count == 6)
    }

    /// Cancelling one future of a chain must not cancel a promise that other futures wait for.
    @Test func aFutureOfALoopThatSomeoneHoldsIsCancelledApartFromTheLoop() {
        let first = Promise<Int>()
        let second = Promise<Int>()
        let third = Promise<Int>()
        let inner = Locked<Future<Int>?>(nil)
        let outer = first.flatMap { _ in
            let future = second.flatMap { _ in third }
            inner.withLock { $0 = future }
            return future
        }
        first.resolve(with: 1)
        second.resolve(with: 2)
        let beside = third.map { $0 }
        let held = inner.withLock { $0 }
        held?.cancel()
        #expect(held?.isCancelled == true)
        #expect(outer.isCancelled)
        #expect(third.resolve(with: 3))
        #expect(beside.valueNow == 3)
    }

    @Test func cancellingALoopOfFlatMapsCancelsThePromiseThatItWaitsFor() {
        let cancelled = TestLog<Int>()
        let steps = Locked<[Promise<Int>]>([])
        @Sendable func turn(_ left: Int) -> Future<Int> {
            let promise = Promise<Int>()
            promise.onCancel { cancelled.append(left) }
            steps.withLock { $0.append(promise) }
            return promise.flatMap { _ in turn(left - 1) }
        }
        let future = turn(100)
        for _ in 0..<50 {
            let step = steps.withLock { $0.removeLast() }
            step.resolve(with: 0)
        }
        future.cancel()
        #expect(cancelled.elements == [50])
        #expect(steps.withLock { $0.last?.isCancelled } == true)
    }

    @Test func aFlatMapWhoseClosureReturnsItsOwnFutureFails() {
        let promise = Promise<Int>()
        let own = Locked<Future<Int>?>(nil)
        let future = promise.flatMap { _ in own.withLock { $0 } ?? Future(value: 0) }
        own.withLock { $0 = future }
        promise.resolve(with: 1)
        #expect(future.codeNow == .cycle)
        own.withLock { $0 = nil }
    }

    #if os(Linux) || os(macOS)
    /// A million turns, half of them settled on another thread, on a small stack, in a process of its own,
    /// whose memory is measured.
    @Test func aLoopMayTakeAMillionTurnsOnTwoThreads() async {
        await #expect(processExitsWith: .success) {
            let peak = onSmallThread { MillionTurns().run() }
            precondition(peak < 10 << 20, "memory grew by \(peak) bytes")
        }
    }
    #endif
}

/// A loop whose odd turns are settled on another thread.
private final class MillionTurns: Sendable {
    private let queue = DispatchQueue(label: "steps")
    private let most = Locked(0)

    private func turn(_ left: Int) -> Future<Int> {
        if left % 5_000 == 0 { most.withLock { $0 = max($0, heldBytes()) } }
        if left == 0 { return Future(value: 42) }
        if left % 2 == 0 { return Future(value: left).flatMap { self.turn($0 - 1) } }
        let promise = Promise<Int>()
        queue.async { promise.resolve(with: left) }
        return promise.flatMap { self.turn($0 - 1) }
    }

    /// - Returns: The growth of the process in bytes from the first turns to the last.
    func run() -> Int {
        _ = wait(for: turn(1000))
        let before = heldBytes()
        let future = turn(depth())
        let value = wait(for: future)
        precondition(value == 42)
        return most.withLock { $0 } - before
    }

    private func wait(for future: Future<Int>) -> Int? {
        let done = DispatchSemaphore(value: 0)
        future.observe { _ in done.signal() }
        done.wait()
        return future.valueNow
    }
}

/// Futures that wait for themselves.
@Suite(.oneAtATime) struct CycleTests {
    /// A future that continues with a future derived from itself.
    private func loop(
        _ promise: Promise<Int>, _ derive: (Future<Int>) -> Future<Int>
    ) -> Future<Int> {
        let own = Locked<Future<Int>?>(nil)
        let future = promise.flatMap(
            { _ in own.withLock { $0.take() } ?? Future(value: 0) },
            fileID: "Test/Cycle.swift", line: 7)
        own.withLock { $0 = derive(future) }
        return future
    }

    @Test(
        "a cycle of up to 64 links is rejected, and both places are named",
        arguments: [1, 2, 62])
    func aCycleOfUpTo64LinksIsRejected(links: Int) {
        let promise = Promise<Int>()
        let future = loop(promise) { future in
            (0..<links).reduce(future) { future, number in
                future.map({ $0 }, fileID: "Test/Step.swift", line: UInt(number))
            }
        }
        promise.resolve(with: 1)
        #expect(future.codeNow == .cycle)
        let text = "\(future)"
        #expect(text.contains("Test/Cycle.swift:7"), "\(text)")
        #expect(text.contains("Test/Step.swift:\(links - 1)"), "\(text)")
    }

    @Test func twoFuturesThatAdoptEachOtherAtOnceDoNotWaitForEver() {
        for _ in 0..<2_000 {
            let promises = [Promise<Int>(), Promise<Int>()]
            let futures = Locked<[Future<Int>]>([])
            let made = promises.indices.map { index in
                promises[index].flatMap { _ in futures.withLock { $0[1 - index] } }
            }
            futures.withLock { $0 = made }
            onThreads(2) { promises[$0].resolve(with: 1) }
            #expect(made.allSatisfy { $0.codeNow == .cycle })
            futures.withLock { $0 = [] }
        }
    }

    @Test func aRejectedCycleIsFreed() {
        let census = Census()
        var promise: Promise<Int>? = Promise<Int>()
        for _ in 0..<2 {
            let token = Tracked(census)
            let future = loop(promise ?? Promise()) { $0.map { $0 + token.number } }
            promise?.resolve(with: 1)
            #expect(future.codeNow == .cycle)
            promise = Promise()
        }
        #expect(census.living == 0)
    }

    @Test func aLongChainThatIsNoCycleIsNotRejected() {
        let (promise, step) = (Promise<Int>(), Promise<Int>())
        let inner = (0..<200).reduce(step as Future<Int>) { future, _ in future.map { $0 + 1 } }
        let future = promise.flatMap { _ in inner }
        promise.resolve(with: 1)
        step.resolve(with: 0)
        #expect(future.valueNow == 200)
    }

    #if os(Linux) || os(macOS)
    /// Each case runs in a process of its own, since the reports belong to the whole process.
    @Test func aDebugReportOfAnAwaitingTaskNamesWhatIsBehindAShield() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            FutureDiagnostics.awaitingLimit = .milliseconds(1)
            let (promise, forgotten) = (Promise<Int>(), Promise<Int>(fileID: "Test/Load", line: 3))
            let future = CycleTests().loop(promise) { $0.shielded() }
            promise.resolve(with: 1)
            let tasks = [Task { await future.resultWhenSettled }]
            let cameTrue = await comesTrue { !reports.elements.isEmpty }
            precondition(cameTrue, "a report came")
            precondition(reports.elements[0].contains("waits for itself"), "it names the cycle")
            let other = Task { await forgotten.shielded().resultWhenSettled }
            let cameToo = await comesTrue { reports.elements.count > 1 }
            precondition(cameToo, "another report came")
            precondition(reports.elements[1].contains("Test/Load:3"), "it names the producer")
            future.cancel()
            forgotten.resolve(with: 1)
            for task in tasks + [other] { _ = await task.value }
        }
    }

    @Test("a debug report names a longer cycle, or one through an aggregate")
    func aDebugReportNamesALongerCycle() async {
        await #expect(processExitsWith: .success) {
            for isLong in [true, false] {
                let reports = TestLog<String>()
                FutureDiagnostics.send { reports.append($0) }
                FutureDiagnostics.awaitingLimit = .milliseconds(1)
                let promise = Promise<Int>()
                let future = CycleTests().loop(promise) { future in
                    if isLong { return (0..<200).reduce(future) { future, _ in future.map { $0 } } }
                    return Future.all([future.map { $0 }, future]).map { $0[0] }
                }
                promise.resolve(with: 1)
                let cameTrue = await comesTrue { !reports.elements.isEmpty }
                precondition(cameTrue, "a report came")
                precondition(
                    reports.elements[0].contains("Test/Cycle.swift:7"), "it names the line")
                precondition(reports.elements[0].contains("waits for itself"), "it names the cycle")
                // Break the cycle, which would not be freed otherwise.
                future.cancel()
            }
        }
    }
    #endif
}
