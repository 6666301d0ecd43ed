// snippet: imports
import Pledge
import PledgeFutures
import PledgeTraffic
// end snippet
import Testing

/// The code of Docs/Policies/Throttle.md.
@Suite struct ThrottleExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        struct Overloaded: Error {}

        let scheduler = ManualScheduler()
        let shop: Service<Int, String> = { _ in
            let isOverloaded = (.seconds(20) ..< .seconds(40)).contains(scheduler.now.offset)
            return isOverloaded ? Future(error: Overloaded()) : Future(value: "iPad Pro")
        }
        let throttle = AdaptiveThrottle(named: "shop", on: scheduler, random: .seeded(7))
        let load = stack(.throttle(sharing: throttle), over: shop)

        for number in 1...800 {
            _ = load(7)
            scheduler.advance(by: .milliseconds(100))
            if number % 100 == 0 {
                print("\(scheduler.now.offset): \(Int(throttle.probability * 100)) %")
            }
        }
        // end snippet
        #expect(
            lines.lines == [
                "10.0 seconds: 0 %",
                "20.0 seconds: 0 %",
                "30.0 seconds: 80 %",
                "40.0 seconds: 80 %",
                "50.0 seconds: 61 %",
                "60.0 seconds: 0 %",
                "70.0 seconds: 0 %",
                "80.0 seconds: 0 %",
            ])
    }

    @Test func envoy() {
        // snippet: envoy
        let throttle = AdaptiveThrottle(named: "shop", rule: .successRate(0.9, aggression: 2))
        // end snippet
        #expect(throttle.probability == 0)
    }

    @Test func keyed() {
        // snippet: each
        let load: Service<Int, String> = stack(
            .keyed(by: { $0 % 10 }) { shard in
                .throttle(sharing: AdaptiveThrottle(named: "shard \(shard)"))
            },
            over: { number in Future(value: "product \(number)") })
        // end snippet
        #expect((try? load(7).result?.get()) == "product 7")
    }
}
