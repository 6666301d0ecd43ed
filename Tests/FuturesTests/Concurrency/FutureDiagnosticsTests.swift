import Dispatch
import Foundation
import PledgeFutures
import TestSupport
import Testing

#if os(Linux) || os(macOS)
/// What is reported of a task that waits, and which lines the report names.
///
/// Each test runs in a process of its own, since the reports belong to the whole process.
@Suite(.oneAtATime) struct FutureDiagnosticsTests {
    /// Lets waits be watched, also in a release build, before one of them begins.
    private static func watch() -> CountingScheduler {
        let scheduler = CountingScheduler()
        FutureDiagnostics.scheduler = scheduler
        FutureDiagnostics.awaitingLimit = .seconds(10)
        return scheduler
    }

    /// Awaits futures in tasks of their own for as long as a report takes.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - inner: How many tasks within them await something too.
    ///   - scheduler: The clock of the waits.
    /// - Returns: The reports.
    private static func reports(
        of futures: [Future<Int>], andWithin inner: Int, by scheduler: CountingScheduler
    ) async -> [String] {
        let reports = TestLog<String>()
        FutureDiagnostics.send { reports.append($0) }
        let tasks = futures.map { future in Task { await future.resultWhenSettled } }
        let wait = await comesTrue { scheduler.count == futures.count + inner }
        precondition(wait, "\(scheduler.count) tasks wait")
        scheduler.time.advance(by: .seconds(10))
        let found = reports.elements
        // A task that still waits, and a clock that is still watched, would be leaks when the process exits.
        for task in tasks {
            task.cancel()
            _ = await task.value
        }
        // So does a task within them that still ends.
        _ = await comesTrue { FutureDiagnostics.watchedTasks == 0 }
        FutureDiagnostics.scheduler = LiveScheduler.shared
        return found
    }

    @Test func whatATimerOrAProducerOfTheFrameworkEndsIsNotReported() async {
        await #expect(processExitsWith: .success) {
            let clock = Self.watch()
            let scheduler = ManualScheduler()
            let (mine, own) = (Promise<Int>(), InternalPromise<Int>())
            let delayed = Future(value: 1).delay(.seconds(60), on: scheduler)
            let followed = Promise<Int>()
            followed.follow(own)
            let futures = [
                mine.timeout(.seconds(60), on: scheduler).map { $0 },
                mine.map { $0 }.timeout(.seconds(60), on: scheduler),
                delayed, own.map { $0 }, own.shielded(), followed,
                Future.race([mine as Future<Int>, delayed]),
                Future { try await own.value },
                Future { try await Future { try await own.value }.value },
            ]
            let reports = await Self.reports(of: futures, andWithin: 3, by: clock)
            // A release build would free what is not used any more, and so end it.
            withExtendedLifetime((mine, own, followed, futures)) {}
            precondition(reports.isEmpty, "\(reports)")
        }
    }

    @Test func aReportNamesTheUsersLinesWhateverMakesTheFuture() async {
        await #expect(processExitsWith: .success) {
            let clock = Self.watch()
            let mine = Promise<Int>(fileID: "Test/Promise.swift", line: 1)
            let own = InternalPromise<Int>()
            let kept = TestLog<Resolver<Int>>()
            let (stream, end) = AsyncStream<Int>.makeStream()
            let futures = [
                Future<Int>.make(fileID: "Test/Make.swift", line: 2) { kept.append($0) },
                Future(fileID: "Test/Task.swift", line: 3) {
                    for await _ in stream {}
                    return 0
                },
                Future(fileID: "Test/Inner.swift", line: 4) { try await mine.value },
                mine.map(on: .main, { $0 }, fileID: "Test/Queue.swift", line: 5),
                mine.map({ $0 }, fileID: "PledgeServices/Hidden.swift", line: 6),
                Future.all([own, mine.map { $0 }]).map { $0[0] },
            ]
            let reports = await Self.reports(of: futures, andWithin: 1, by: clock)
            withExtendedLifetime((mine, own, kept, end, futures)) {}
            let wanted = [
                "Test/Make.swift:2, which its producer may have forgotten",
                "Test/Task.swift:3, whose operation has not returned",
                "Test/Inner.swift:4, which waits for the one made at Test/Promise.swift:1, which",
                "Test/Queue.swift:5, which waits for the one made at Test/Promise.swift:1, which",
                "for the future, which waits for the one made at Test/Promise.swift:1, which",
                "FutureDiagnosticsTests.swift",
            ]
            for text in wanted {
                precondition(reports.contains { $0.contains(text) }, "no \(text) in \(reports)")
            }
            for module in CodeLocation.modules {
                precondition(!reports.contains { $0.contains(" \(module)/") }, "\(reports)")
            }
        }
    }

    @Test func aPromiseOfTheFrameworkThatNobodyWaitedForIsNotReported() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            FutureDiagnostics.reportsUnobservedPromises = true
            _ = Promise<Int>(fileID: "PledgeServices/Hidden.swift", line: 5)
            precondition(reports.elements.isEmpty)
        }
    }

    @Test func noReportNamesALineOfAModuleThatIsAFolderOfSources() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "Sources").path)
        let swift = folders.filter { $0.wholeMatch(of: /C[A-Z]\w+|quickstart/) == nil }
        let names = swift.map { $0.hasPrefix("Pledge") ? $0 : "Pledge" + $0 }
        #expect(Set(names) == CodeLocation.modules)
    }
}

/// A manual clock that counts what is scheduled.
private final class CountingScheduler: FutureScheduler {
    let time = ManualScheduler()
    private let scheduled = Locked(0)
    var count: Int { scheduled.withLock { $0 } }
    var now: SchedulerInstant { time.now }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        let action = time.schedule(after: delay, action)
        scheduled.withLock { $0 += 1 }
        return action
    }
}
#endif
