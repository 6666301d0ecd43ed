// snippet: imports
import Pledge
import PledgeFutures
// end snippet
import Testing

/// The code of Docs/Policies/Timeout.md.
@Suite struct TimeoutExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let hangsOnce: Service<Int, String> = { _ in
            log("asked")
            if CallContext.current.attempt > 1 {
                return Future(value: "iPad Pro").delay(.milliseconds(500), on: scheduler)
            }
            return Future.make { resolver in
                resolver.onCancel { withExtendedLifetime(resolver) { log("cancelled") } }
            }
        }
        let load = stack(
            .retry(Retry(backoff: .constant(.milliseconds(100))), on: scheduler),
            .timeout(.seconds(2), on: scheduler),
            over: hangsOnce)

        load(7).observe { result in log("\(result)") }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: asked",
                "2.0 seconds: cancelled",
                "2.1 seconds: asked",
                "2.6 seconds: success(\"iPad Pro\")",
            ])
    }
}
