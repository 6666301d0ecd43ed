import Dispatch
import Foundation
import PledgeFutures
import Synchronization
import TestSupport
import Testing

/// What an awaiting task retains, and where its continuation runs.
@Suite(.oneAtATime) struct AwaitingTests {
    @Test("F6: awaiting does not keep a promise that its producer forgot")
    func aForgottenPromiseIsAbandoned() async {
        @Sendable func load() -> Future<Int> {
            let promise = Promise<Int>()
            // The bug under test: the callback that should resolve the promise is dropped.
            return promise
        }
        let result = await load().resultWhenSettled
        #expect((result.error as? FutureError)?.code == .abandoned)
        await #expect(throws: FutureError.self) { try await load().value }
        let mapped = await load().map { $0 }.resultWhenSettled
        #expect((mapped.error as? FutureError)?.code == .abandoned)
    }

    #if os(Linux) || os(macOS)
    @Test("F6: a debug report names what is awaited for too long")
    func aLongAwaitIsReported() async {
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

    @Test("F6: a promise dropped unobserved is reported by a switch")
    func aPromiseDroppedUnobserved() async {
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
    @Test("a task may end, and be freed, while the task that awaits it raises it")
    func aTaskEndsWhileItIsRaised() async throws {
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

    @Test("F3: a cancelled task goes on while the producer's handler blocks")
    func theTaskIsResumedFirst() async {
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
    @Test("F7: awaiting raises the task that a future is made of")
    func thePriorityIsRaised() async {
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

    @Test("awaiting takes no longer the more ways lead up")
    func manyWaysLeadUp() async throws {
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
