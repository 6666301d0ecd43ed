// snippet: imports
import Pledge
import PledgeFutures
// end snippet
import Testing

/// The code of Docs/Policies/Pushback.md.
@Suite struct PushbackExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        /// A server that answers no call in its first two seconds.
        struct Busy: Error, OutcomeAdvising {
            var advisedOutcome: Outcome { .retryable(after: .seconds(2)) }
        }

        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let ask: Service<Int, String> = { number in
            log("asked for \(number)")
            return scheduler.now.offset < .seconds(2)
                ? Future(error: Busy()) : Future(value: "product \(number)")
        }
        let pushback = Pushback(on: scheduler, random: .constant(0))
        let load = stack(.pushback(sharing: pushback), over: ask)

        for number in 1...2 {
            load(number).observe { result in
                switch result {
                case .success(let product): log(product)
                case .failure(let error): log("\(error)")
                }
            }
        }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: asked for 1",
                "0.0 seconds: Busy()",
                "2.0 seconds: asked for 2",
                "2.0 seconds: product 2",
            ])
    }
}
