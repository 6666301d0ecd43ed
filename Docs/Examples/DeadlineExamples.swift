import Futures
// snippet: imports
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Deadline.md.
@Suite struct DeadlineExamples {
    // snippet: broken
    struct Broken: Error {}
    // end snippet

    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let slowAndBroken: Service<Int, String> = { _ in
            Future(value: CallContext.current.attempt).delay(.seconds(1), on: scheduler)
                .flatMap { attempt in
                    log("attempt \(attempt) failed")
                    return Future(error: Broken())
                }
        }
        let load = stack(
            .deadline(.seconds(10), on: scheduler),
            .retry(attempts: 9, backoff: .constant(.seconds(4)), on: scheduler),
            over: slowAndBroken)

        load(7).observe { result in log("\(result)") }
        scheduler.run()
        // end snippet
        let seen = lines.lines.map { $0.replacing("Examples.DeadlineExamples.", with: "") }
        #expect(
            seen == [
                "1.0 seconds: attempt 1 failed",
                "6.0 seconds: attempt 2 failed",
                "6.0 seconds: failure(Broken())",
            ])
    }

    @Test func remaining() {
        // snippet: remaining
        let transport: Service<Int, Duration> = { _ in
            Future(value: CallContext.current.remaining ?? .seconds(60))
        }
        // end snippet
        let scheduler = ManualScheduler()
        let load = stack(.deadline(.seconds(10), on: scheduler), over: transport)
        #expect(load(7).result.flatMap { try? $0.get() } == .seconds(10))
        #expect(transport(7).result.flatMap { try? $0.get() } == .seconds(60))
    }
}
