// snippet: imports
import Pledge
import PledgeFutures
// end snippet
// snippet: traffic
import PledgeTraffic
// end snippet
import Testing

/// The code of Docs/Policies/RateLimit.md.
@Suite struct RateLimitExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let ask: Service<Int, String> = { number in
            Future(value: "product \(number)")
        }
        let limiter = RateLimiter(
            rate: 2, per: .seconds(1), burst: 2, maxWait: .seconds(1), on: scheduler)
        let load = stack(.rateLimit(sharing: limiter), over: ask)

        for number in 1...5 {
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
                "0.0 seconds: product 1",
                "0.0 seconds: product 2",
                "0.0 seconds: rateLimit: refused: the rate is exceeded; call again in 1.5 seconds",
                "0.5 seconds: product 3",
                "1.0 seconds: product 4",
            ])
    }

    @Test func shared() {
        // snippet: shared
        let store = MemoryPolicyStore()  // in a test; for machines, a store over Redis
        let shop = SharedState("shop", in: store)
        let limiter = RateLimiter(rate: 100, per: .seconds(60), burst: 20, shared: shop)
        // end snippet
        #expect(limiter.queued == 0)
    }
}
