import Foundation
import Pledge
import Testing

@testable import PledgeTesting

/// What ``withVirtualTime`` promises of tasks, actors and the main actor; Docs/Examples has tests as an app has them.
struct VirtualTimeTests {
    actor Counter {
        var value = 0
        func increment() { value += 1 }
    }

    @MainActor final class Log {
        var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
    }

    // MARK: Everything runs before advance returns

    @Test func runsTasksOfEveryKindBeforeItReturns() async {
        await withVirtualTime { clock in
            let counter = Counter()
            Task { await counter.increment() }
            Task.detached { await counter.increment() }
            Task { @MainActor in await counter.increment() }
            let future = Future { await counter.increment() }
            Task {
                await withTaskGroup { group in
                    for _ in 0..<3 { group.addTask { await counter.increment() } }
                }
                async let first: Void = counter.increment()
                async let second: Void = counter.increment()
                _ = await (first, second)
            }
            await clock.advance(by: .zero)
            #expect(await counter.value == 9)
            #expect(future.isSettled)
        }
    }

    @Test func runsStepsAtEachInstantBeforeTheNext() async {
        await withVirtualTime { clock in
            let log = Log()
            for (name, delay) in [("b", 2), ("a", 1), ("c", 2)] {
                Task { @Sendable in
                    try await clock.sleep(for: .seconds(delay))
                    for _ in 0..<10 { await Task.yield() }
                    await log.add("\(name) \(clock.now.offset)")
                    try await clock.sleep(for: .seconds(1))
                    await log.add("\(name) \(clock.now.offset)")
                }
            }
            await clock.advance(by: .seconds(2))
            #expect(
                await log.lines
                    == ["a 1.0 seconds", "a 2.0 seconds", "b 2.0 seconds", "c 2.0 seconds"])
            #expect(clock.now.offset == .seconds(2))
            await clock.run()
            #expect(await log.lines.suffix(2) == ["b 3.0 seconds", "c 3.0 seconds"])
            #expect(clock.now.offset == .seconds(3))
        }
    }

    @Test func theSameStepsInEachRun() async {
        func run() async -> [String] {
            await withVirtualTime { clock in
                let log = Log()
                await withTaskGroup { group in
                    for index in 0..<50 {
                        group.addTask {
                            for step in 0..<5 {
                                try? await clock.sleep(for: .milliseconds((index * 7 + step) % 11))
                                await log.add("\(index) \(step) \(clock.now.offset)")
                                let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                                Task { continuation.finish() }
                                for await _ in stream {}
                            }
                        }
                    }
                }
                return await log.lines
            }
        }
        let first = await run()
        #expect(first.count == 250)
        for _ in 0..<5 { #expect(await run() == first) }
    }

    @Test func twentyThousandTasks() async {
        await withVirtualTime { clock in
            let counter = Counter()
            for index in 0..<20_000 {
                Task {
                    try await clock.sleep(for: .milliseconds(index % 100))
                    await counter.increment()
                }
            }
            await clock.advance(by: .milliseconds(99))
            #expect(await counter.value == 20_000)
        }
    }

    // MARK: The test's own task

    @Test func aWaitOfTheTestMovesTheClock() async throws {
        let now = try await withVirtualTime { clock in
            try await clock.sleep(for: .seconds(3600))
            return clock.now
        }
        #expect(now.offset == .seconds(3600))
    }

    @MainActor @Test func keepsToTheActorOfTheTest() async {
        var count = 0
        await withVirtualTime { clock in
            MainActor.assertIsolated()
            count += 1
            await clock.advance(by: .seconds(1))
            MainActor.assertIsolated()
            count += 1
        }
        MainActor.assertIsolated()
        #expect(count == 2)
    }

    @Test func aTestsErrorIsThrown() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await withVirtualTime { clock in
                await clock.advance(by: .seconds(1))
                throw Failure()
            }
        }
    }

    @Test func twoAdvancesAtOnce() async {
        await withVirtualTime { clock in
            async let long: Void = clock.advance(by: .seconds(2))
            async let short: Void = clock.advance(by: .seconds(1))
            await short
            #expect(clock.now.offset == .seconds(1))
            await long
            #expect(clock.now.offset == .seconds(2))
        }
    }

    @Test func timersLeftAtTheEndAreDiscarded() async {
        final class Token: Sendable {}
        weak var token: Token?
        await withVirtualTime { clock in
            let kept = Token()
            token = kept
            clock.schedule(after: .seconds(1)) { withExtendedLifetime(kept) {} }
            Task {
                try await clock.sleep(for: .seconds(1))
                withExtendedLifetime(kept) {}
            }
        }
        #expect(token == nil)
    }

    @Test func testsOfBothKindsBesideEachOther() async {
        await withTaskGroup { group in
            for index in 0..<5 {
                group.addTask {
                    await withVirtualTime { clock in
                        let counter = Counter()
                        for step in 0..<200 {
                            Task {
                                try await clock.sleep(for: .milliseconds(step * index))
                                await counter.increment()
                            }
                        }
                        await clock.run()
                        #expect(await counter.value == 200)
                        #expect(clock.now.offset == .milliseconds(199 * index))
                    }
                }
            }
            for _ in 0..<50 {
                group.addTask {
                    let counter = Counter()
                    await withTaskGroup { group in
                        for _ in 0..<200 { group.addTask { await counter.increment() } }
                    }
                    await MainActor.run { MainActor.assertIsolated() }
                    #expect(await counter.value == 200)
                }
            }
        }
    }

    // MARK: Actors that other threads run

    /// An actor that another thread runs until it is told to stop.
    actor Shared {
        func hold(_ begun: DispatchSemaphore, until end: DispatchSemaphore) {
            begun.signal()
            end.wait()
        }
        func sleepASecond(on clock: VirtualClock) async throws -> Duration {
            try await clock.sleep(for: .seconds(1))
            return clock.now.offset
        }
    }

    @Test func timeWaitsForAnActorOfAnotherThread() async {
        let shared = Shared()
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let other = Task.detached { await shared.hold(begun, until: end) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                begun.wait()
                continuation.resume()
            }
        }
        await withVirtualTime { clock in
            Thread.detachNewThread {
                usleep(20_000)
                end.signal()
            }
            let slept = [
                Future { try await shared.sleepASecond(on: clock) },
                Future { try await Task { try await shared.sleepASecond(on: clock) }.value },
            ]
            await clock.advance(by: .seconds(1))
            #expect(slept.allSatisfy { (try? $0.settledValue()) == .seconds(1) })
            #expect(clock.now.offset == .seconds(1))
        }
        await other.value
    }

    @MainActor @Test func anActorThatWasUsedJustBefore() async {
        for _ in 0..<2_000 {
            let counter = Counter()
            await counter.increment()
            await withVirtualTime { clock in
                Task {
                    await counter.increment()
                    try await clock.sleep(for: .seconds(1))
                    await counter.increment()
                }
                await clock.advance(by: .seconds(1))
                #expect(await counter.value == 3)
            }
        }
    }

    // MARK: What leaves virtual time

    /// Runs a test that must fail with a text.
    func fails(
        with text: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (VirtualClock) async throws -> Void
    ) async {
        await withKnownIssue(sourceLocation: sourceLocation) {
            try? await withVirtualTime(function: "badTest()", body)
        } matching: { issue in
            let comment = issue.comments.map(\.rawValue).joined()
            return comment.hasPrefix("badTest(): ") && comment.contains(text)
        }
    }

    @Test func aRealSleepFailsTheTest() async {
        await fails(with: "`Task.sleep` (write `clock.sleep(for:)`)") { _ in
            try await Task.sleep(for: .milliseconds(1))
        }
        // Other versions of the runtime tell of a sleep only when it ends.
        #if compiler(>=6.3)
        await fails(with: "`Task.sleep` (write `clock.sleep(for:)`)") { clock in
            Task { try await Task.sleep(for: .milliseconds(1)) }
            await clock.advance(by: .seconds(1))
        }
        // The test has ended long before the sleep would.
        await fails(with: "`Task.sleep`") { _ in Task { try await Task.sleep(for: .seconds(600)) } }
        await fails(with: "`Task.sleep`") { _ in
            Task { @MainActor in try await Task.sleep(for: .seconds(600)) }
        }
        await fails(with: "`Task.sleep`") { _ in
            Task { try await ContinuousClock().sleep(for: .seconds(600)) }
        }
        await fails(with: "`Task.sleep`") { _ in
            Task { try await Sleeper().sleep() }
        }
        await fails(with: "`Task.sleep`") { _ in
            try await Task.sleep(for: .seconds(600))
        }
        #endif
    }

    actor Sleeper {
        func sleep() async throws { try await Task.sleep(nanoseconds: 600_000_000_000) }
    }

    /// Resumes a task of a test from another queue, once the task is suspended.
    func resumedFromOutside() async {
        await withCheckedContinuation { continuation in
            // Its step comes after the one that suspends the task.
            Task {
                DispatchQueue(label: "com.example.foreign").async {
                    // When the main thread has nothing more to do.
                    DispatchQueue.main.sync {}
                    continuation.resume()
                }
            }
        }
    }

    @Test func aForeignQueueFailsTheTest() async {
        // However long the queue takes on a busy machine.
        await VirtualScope.$patience.withValue(6_000) {
            await fails(with: "on the queue com.example.foreign") { clock in
                await resumedFromOutside()
                await clock.advance(by: .seconds(1))
            }
            // The test ends at once.
            await fails(with: "A step of a task came from outside virtual time") { _ in
                Task { await resumedFromOutside() }
            }
        }
    }

    @Test func aTimerOfAnotherThreadFailsTheTest() async {
        await VirtualScope.$patience.withValue(6_000) {
            await fails(with: "Another thread has set or cancelled a timer") { clock in
                let done = Promise<Void>()
                DispatchQueue(label: "com.example.foreign").async {
                    clock.schedule(after: .seconds(1)) { done.resolve(with: ()) }
                }
                try await done.value
            }
        }
    }

    @Test func realTimeFailsTheTest() async {
        await fails(with: "client.scheduler = clock") { _ in
            _ = Promise<Int>().timeout(.seconds(600))
        }
    }

    @Test func aWaitForNothingFailsTheTest() async {
        await fails(with: "nothing is left that could happen") { _ in
            let never = Promise<Int>()
            _ = try? await never.value
            withExtendedLifetime(never) {}
        }
    }

    @Test func aWaitThatIgnoresCancellationIsReported() async {
        let waiting = Locked<UnsafeContinuation<Void, Never>?>(nil)
        await withKnownIssue {
            await withVirtualTime { _ in
                await withUnsafeContinuation { continuation in
                    waiting.withLock { $0 = continuation }
                }
            }
        } matching: { issue in
            // The report comes while the test still waits.
            waiting.withLock { $0.take() }?.resume()
            return issue.comments.map(\.rawValue).joined().contains("nothing is left that could")
        }
    }

    @Test func aLoopOfYieldsFailsTheTest() async {
        await fails(with: "100,000 steps ran at one instant") { clock in
            let isDone = Locked(false)
            Task {
                try? await clock.sleep(for: .seconds(1))
                isDone.withLock { $0 = true }
            }
            while !isDone.withLock({ $0 }) { await Task.yield() }
        }
        await fails(with: "100,000 steps") { _ in
            Task { while !Task.isCancelled { await Task.yield() } }
        }
    }

    @Test func aTestWithinATestFails() async {
        await fails(with: "`withVirtualTime` is called within `withVirtualTime`") { clock in
            await clock.advance(by: .seconds(1))
            let now = await withVirtualTime { clock in
                await clock.advance(by: .seconds(1))
                return clock.now.offset
            }
            #expect(now == .seconds(2))
        }
    }

    @Test func aTaskFromOutsideThatMovesTheClockFailsTheTest() async {
        await VirtualScope.$patience.withValue(6_000) {
            await fails(with: "moved the clock") { clock in
                try? await withCheckedThrowingContinuation { continuation in
                    DispatchQueue(label: "com.example.foreign").async {
                        Task {
                            await clock.advance(by: .seconds(1))
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    @Test func aSleepOnTheClockOfATestThatHasEnded() async {
        let (clock, loop) = await withVirtualTime { clock in
            // When it sleeps after the test, it's cancelled, so that its loop ends.
            let loop = Task {
                var rounds = 0
                while !Task.isCancelled {
                    rounds += 1
                    try? await clock.sleep(for: .seconds(1))
                }
                return rounds
            }
            return (clock, loop)
        }
        #expect(await loop.value <= 2)
        await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
        #expect(!Task.isCancelled)
        await clock.advance(by: .seconds(1))
        #expect(clock.now.offset == .zero)
    }

    @Test func anyNumberOfInstantsByAdvance() async {
        await withVirtualTime { clock in
            let count = Locked(0)
            @Sendable func tick() {
                count.withLock { $0 += 1 }
                clock.schedule(after: .seconds(1)) { tick() }
            }
            tick()
            await clock.advance(by: .seconds(100_010))
            #expect(count.withLock { $0 } == 100_011)
        }
    }

    @Test func aCallThatNeverComes() async {
        await withVirtualTime { _ in
            let error = await #expect(throws: MockError.self) { _ = try await MockNetwork().next() }
            #expect(error?.description.contains("Everything has run that can run") == true)
        }
    }

    @Test func aLoopWithoutEndFailsTheTest() async {
        await fails(with: "a hundred thousand instants") { clock in
            let loop = Task { while !Task.isCancelled { try await clock.sleep(for: .seconds(1)) } }
            await clock.run()
            loop.cancel()
        }
    }
}
