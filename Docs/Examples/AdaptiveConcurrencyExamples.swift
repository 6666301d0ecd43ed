// snippet: imports
import Pledge
import PledgeFutures
import PledgeTraffic
// end snippet
import Testing

/// The code of Docs/Policies/AdaptiveConcurrency.md.
@Suite struct AdaptiveConcurrencyExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let places = AdaptiveConcurrency(on: scheduler, random: .seeded(1))
        /// A service that needs 10 ms for each call, four at once.
        let works = Bulkhead(limit: 4, queue: .max, leaseTime: nil, on: scheduler)
        let ask: Service<Int, Int> = stack(
            .adaptiveConcurrency(sharing: places), .timeout(.seconds(1), on: scheduler),
            .bulkhead(sharing: works),
            over: { number in Future(value: number).delay(.milliseconds(10), on: scheduler) })

        for second in 1...4 {
            var calls: [Future<Int>] = []
            for _ in 0..<500 {
                calls.append(ask(second))
                scheduler.advance(by: .milliseconds(2))
            }
            let refusals = calls.count { if case .failure? = $0.result { true } else { false } }
            print("second \(second): \(refusals) of 500 refused, a limit of \(places.limit)")
        }
        // end snippet
        #expect(
            lines.lines == [
                "second 1: 121 of 500 refused, a limit of 7",
                "second 2: 100 of 500 refused, a limit of 7",
                "second 3: 100 of 500 refused, a limit of 7",
                "second 4: 100 of 500 refused, a limit of 7",
            ])
    }

    @Test func client() throws {
        // snippet: client
        let limit = AdaptiveConcurrency(named: "shop")
        var shop = HTTPClient(base: URL(string: "https://shop.example")!)
        shop.aroundAttempt = .init(
            send: .adaptiveConcurrency(sharing: limit),
            stream: .adaptiveConcurrency(sharing: limit))
        // end snippet
        #expect(shop.aroundAttempt != nil)
        #expect((limit.limit, limit.inFlight) == (3, 0))
    }
}
