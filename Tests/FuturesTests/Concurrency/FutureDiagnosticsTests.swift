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
    private static func watch() {
        // Long enough for a task to have begun.
        FutureDiagnostics.awaitingLimit = .milliseconds(100)
    }

    /// Awaits futures in tasks of their own, and then one that is certainly reported.
    ///
    /// - Returns: The other reports.
    private static func reports(of futures: [Future<Int>]) async -> [String] {
        let reports = TestLog<String>()
        FutureDiagnostics.send { reports.append($0) }
        for future in futures { Task { await future.resultWhenSettled } }
        let last = Promise<Int>(fileID: "Test/Last.swift", line: 9)
        let isLast = { (report: String) in report.contains("Test/Last.swift:9") }
        // Three times, so that the tasks within the others have had as long.
        for _ in 0..<3 {
            let before = reports.elements.count(where: isLast)
            let task = Task { await last.resultWhenSettled }
            let cameTrue = await comesTrue { reports.elements.count(where: isLast) > before }
            precondition(cameTrue, "the last one is reported")
            task.cancel()
        }
        return reports.elements.filter { !isLast($0) }
    }

    @Test("what a timer or a producer of the framework ends is not reported")
    func whatEndsByItself() async {
        await #expect(processExitsWith: .success) {
            Self.watch()
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
            let reports = await Self.reports(of: futures)
            // A release build would free what is not used any more, and so end it.
            withExtendedLifetime((mine, own, followed, futures)) {}
            precondition(reports.isEmpty, "\(reports)")
        }
    }

    @Test("a report names the user's lines, whatever makes the future")
    func linesOfTheUser() async {
        await #expect(processExitsWith: .success) {
            Self.watch()
            let mine = Promise<Int>(fileID: "Test/Promise.swift", line: 1)
            let own = InternalPromise<Int>()
            let kept = TestLog<Resolver<Int>>()
            let futures = [
                Future<Int>.make(fileID: "Test/Make.swift", line: 2) { kept.append($0) },
                Future(fileID: "Test/Task.swift", line: 3) {
                    await withUnsafeContinuation { (_: UnsafeContinuation<Int, Never>) in }
                },
                Future(fileID: "Test/Inner.swift", line: 4) { try await mine.value },
                mine.map(on: .main, { $0 }, fileID: "Test/Queue.swift", line: 5),
                mine.map({ $0 }, fileID: "PledgeServices/Hidden.swift", line: 6),
                Future.all([own, mine.map { $0 }]).map { $0[0] },
            ]
            let reports = await Self.reports(of: futures)
            withExtendedLifetime((mine, own, kept, futures)) {}
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

    @Test("a promise of the framework that nobody waited for is not reported")
    func anUnobservedPromiseOfTheFramework() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            FutureDiagnostics.reportsUnobservedPromises = true
            _ = Promise<Int>(fileID: "PledgeServices/Hidden.swift", line: 5)
            precondition(reports.elements.isEmpty)
        }
    }

    @Test("no report names a line of a module that is a folder of Sources")
    func modulesOfThePackage() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "Sources").path)
        let swift = folders.filter { $0.wholeMatch(of: /C[A-Z]\w+|quickstart/) == nil }
        let names = swift.map { $0.hasPrefix("Pledge") ? $0 : "Pledge" + $0 }
        #expect(Set(names) == CodeLocation.modules)
    }
}
#endif
