import Foundation
import Pledge
// snippet: mutex
import Synchronization
// end snippet
import TestSupport
import Testing

/// The code of Docs/Guides/Futures.md on order, on what callbacks see, and on futures that never settle.
@Suite(.oneAtATime) struct FuturesCallbackExamples {
    @Test func order() {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: order
        let promise = Promise<Int>()
        promise.observe { _ in
            print("first")
            promise.observe { _ in print("added within the first") }
        }
        promise.observe { _ in print("second") }
        promise.resolve(with: 7)  // first, second, added within the first
        // end snippet
        #expect(log.lines == ["first", "second", "added within the first"])
    }

    @Test func callContext() async throws {
        let log = ExampleLog()
        let print: @Sendable (Int) -> Void = { log.add("\($0)") }
        // snippet: call-context
        let answer = Promise<Void>()
        CallContext(attempt: 2).run {
            _ = answer.flatMap { () -> Future<Void> in
                print(CallContext.current.attempt)  // 2: of the line that registers
                return Future(value: ())
            }
            answer.observe { _ in
                print(CallContext.current.attempt)  // 3: of the line that settles
            }
        }
        CallContext(attempt: 3).run { _ = answer.resolve() }
        // end snippet
        #expect(log.lines == ["2", "3"])
    }

    @TaskLocal private static var name = "nobody"

    /// Each row of the guide's table: what it sees of call context, task-locals and cancellation.
    @Test func whatCallbacksSee() async throws {
        let seen = ExampleLog()
        let note: @Sendable (String) -> Void = { callback in
            let isCancelled = Task.isCancelled ? ", cancelled" : ""
            seen.add("\(callback): \(CallContext.current.attempt), \(Self.name)\(isCancelled)")
        }
        let (promise, stopped) = (Promise<Int>(), Promise<Int>())
        let queue = DispatchQueue(label: "callbacks")
        let done = Promise<Void>()
        CallContext(attempt: 2).run {
            Self.$name.withValue("who registers") {
                _ = promise.flatMap { value in
                    note("flatMap")
                    return Future(value: value)
                }
                promise.observe { _ in note("observe") }
                _ = promise.map { _ in note("map") }
                _ = promise.map(on: queue) { _ in note("map on a queue") }
                promise.observe(on: MainActor.shared) { _ in
                    note("observe on the main actor")
                    done.resolve()
                }
                stopped.onCancel { note("onCancel") }
            }
        }
        let settling = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            CallContext(attempt: 3).run {
                Self.$name.withValue("who settles") {
                    _ = promise.resolve(with: 7)
                    stopped.cancel()
                }
            }
        }
        await settling.value
        queue.sync {}
        try await done.value
        #expect(
            seen.lines.sorted() == [
                "flatMap: 2, who settles, cancelled",
                "map on a queue: 2, nobody",
                "map: 3, who settles, cancelled",
                "observe on the main actor: 1, nobody",
                "observe: 3, who settles, cancelled",
                "onCancel: 3, who settles, cancelled",
            ])
    }

    @Test func cycle() throws {
        // snippet: cycle
        /// What a screen keeps for others.
        final class Keeper: Sendable {
            let profile = Mutex(Future(value: ""))
        }

        let (login, keeper) = (Promise<Int>(), Keeper())
        let session = login.flatMap { id in keeper.profile.withLock { $0 } }
        keeper.profile.withLock { $0 = session.map { session in "the profile of \(session)" } }
        login.resolve(with: 7)  // each waits for the other: `session` fails
        // end snippet
        let error = #expect(throws: FutureError.self) { try session.result?.get() }
        #expect(error?.code == .cycle)
    }

    /// In a process of its own, since the reports are of the whole process.
    @Test func reports() async {
        await #expect(processExitsWith: .success) {
            let log = ExampleLog()
            let print: @Sendable (String) -> Void = { log.add($0) }
            // snippet: reports
            FutureDiagnostics.send { text in print(text) }
            FutureDiagnostics.awaitingLimit = .seconds(2)
            FutureDiagnostics.reportsUnobservedPromises = true
            // end snippet
            _ = Promise<Int>(fileID: "Shop/Loading.swift", line: 12)
            let unobserved =
                "nobody waited for the promise made at Shop/Loading.swift:12, which was released "
                + "unsettled"
            precondition(log.lines == [unobserved], "\(log.lines)")
            FutureDiagnostics.awaitingLimit = .milliseconds(20)
            let promise = Promise<Int>(fileID: "Shop/Loading.swift", line: 12)
            let task = Task {
                let title = promise.map({ "\($0)" }, fileID: "Shop/Screen.swift", line: 30)
                return try await title.value
            }
            while log.lines.count < 2 { await Task.yield() }
            let awaited =
                "a task has waited 0.02 seconds for the future made at Shop/Screen.swift:30, which "
                + "waits for the one made at Shop/Loading.swift:12, which its producer may have "
                + "forgotten"
            precondition(log.lines.last == awaited, "\(log.lines)")
            promise.resolve(with: 7)
            let title = try? await task.value
            precondition(title == "7", "a report changes nothing")
        }
    }
}
