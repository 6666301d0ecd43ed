// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Hedge.md.
@Suite struct HedgeExamples {
    // snippet: input
    struct ProductID: Sendable, Replayable {
        let number: Int
        /// To load a product twice does no harm.
        let isReplayable = true
    }
    // end snippet

    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let slowAtFirst: Service<ProductID, String> = { _ in
            log("asked")
            let isFirst = scheduler.now.offset == .zero
            return Future(value: isFirst ? "slow" : "fast")
                .delay(.milliseconds(isFirst ? 900 : 20), on: scheduler)
        }
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: slowAtFirst)

        load(ProductID(number: 7)).observe { result in log("\(result)") }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: asked",
                "0.05 seconds: asked",
                "0.07 seconds: success(\"fast\")",
            ])
    }

    @Test func http() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let log: @Sendable (String) -> Void = { lines.add("\(scheduler.now.offset): \($0)") }
        // snippet: http
        let products = URL(string: "https://shop.example.com/products")!
        let slow: HTTPService = { request in
            log("\(request.method)")
            return Future(value: HTTPResponse(status: 200)).delay(.seconds(1), on: scheduler)
        }
        let service = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: slow)

        _ = service(HTTPRequest(.get, products))
        _ = service(HTTPRequest(.post, products))
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == ["0.0 seconds: GET", "0.0 seconds: POST", "0.05 seconds: GET"])
    }

    @Test func observed() {
        let scheduler = ManualScheduler()
        // snippet: observed
        let loadProduct: Service<Int, Int> = { id in
            Future(value: id).delay(.milliseconds(id), on: scheduler)
        }
        let budget = RetryBudget()
        let hedging = Hedge(maxExtraLoad: 0.05, budget: budget, on: scheduler)
        let load = stack(
            .deadline(.seconds(10), on: scheduler), .retry(budget: budget, on: scheduler),
            .hedge(sharing: hedging), .timeout(.seconds(2), on: scheduler),
            over: loadProduct)
        // end snippet
        #expect(hedging.delay == nil)
        for milliseconds in 1...20 { _ = load(milliseconds) }
        scheduler.run()
        scheduler.advance(by: .seconds(3))
        #expect(hedging.delay == .milliseconds(19))
    }
}
