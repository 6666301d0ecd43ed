// snippet: imports
import Pledge
import PledgeFutures
// end snippet
import Testing

/// The code of Docs/Policies/Bulkhead.md.
@Suite struct BulkheadExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let slow: Service<Int, String> = { number in
            log("asked for \(number)")
            return Future(value: "product \(number)").delay(.seconds(1), on: scheduler)
        }
        let bulkhead = Bulkhead(
            limit: 1, queue: 2, queueTimeout: .milliseconds(1_500), leaseTime: nil, on: scheduler)
        let load = stack(.bulkhead(sharing: bulkhead), over: slow)

        for number in 1...4 {
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
                "0.0 seconds: bulkhead: refused: as many calls are in flight and queued as allowed",
                "1.0 seconds: asked for 2",
                "1.0 seconds: product 1",
                "1.5 seconds: bulkhead: refused: no place within the queue's timeout of 1.5 seconds",
                "2.0 seconds: product 2",
            ])
    }
}
