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
    func aLoopHoldsAFewFuturesAtOnce(settlingEvery period: Int) {
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

    @Test func observersAndOutsideHoldersOfTurnsAllGetTheResult() {
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
    @Test func aTurnHeldOutsideIsCancelledApart() {
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

    @Test func cancellingALoopReachesItsPresentStep() {
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

    @Test func aClosureThatReturnsItsOwnFutureFails() {
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
    @Test func aMillionTurnsOnTwoThreads() async {
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
