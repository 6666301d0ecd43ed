// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Retry.md.
@Suite struct RetryExamples {
    // snippet: random
    /// A generator whose numbers are these fractions of its range.
    struct Fractions: RandomNumberGenerator, Sendable {
        private var fractions: ArraySlice<Double>

        init(_ fractions: [Double]) { self.fractions = fractions[...] }

        mutating func next() -> UInt64 { UInt64((fractions.popFirst() ?? 0) * 0x1p64) }
    }
    // end snippet

    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        struct Broken: Error {}
        let brokenTwice: Service<Int, String> = { _ in
            log("asked")
            return CallContext.current.attempt < 3
                ? Future(error: Broken()) : Future(value: "iPad Pro")
        }
        let budget = RetryBudget()
        let load = stack(
            .retry(budget: budget, on: scheduler, random: RandomSource(Fractions([0.6, 0.7]))),
            over: brokenTwice)

        load(7).observe { result in log("\(result)") }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: asked",
                "0.06 seconds: asked",
                "0.2 seconds: asked",
                "0.2 seconds: success(\"iPad Pro\")",
            ])
        #expect(budget.balance == 9)
    }

    @Test func replayable() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: replayable
        struct Order: Sendable, Replayable {
            var number: Int?
            /// The server takes an order with a number once.
            var isReplayable: Bool { number != nil }
        }

        let classifier = Classifier<String> { result in
            if case .success("busy") = result { return .retryable(after: .seconds(1)) }
            return Classifier.standard(result)
        }
        let shop: Service<Order, String> = { order in
            print(order.number.map { "number \($0)" } ?? "no number")
            return Future(value: CallContext.current.attempt == 1 ? "busy" : "taken")
        }
        let order = stack(.retry(classifier: classifier, on: scheduler), over: shop)
        // end snippet
        let (first, second) = (order(Order(number: nil)), order(Order(number: 4711)))
        scheduler.run()
        #expect(lines.lines == ["no number", "number 4711", "number 4711"])
        #expect((try? first.result?.get()) == "busy")
        #expect((try? second.result?.get()) == "taken")
    }

    @Test func http() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let log: @Sendable (String) -> Void = { lines.add("\(scheduler.now.offset): \($0)") }
        // snippet: http
        let orders = URL(string: "https://shop.example.com/orders")!
        let busyAtFirst: HTTPService = { _ in
            log("asked")
            if CallContext.current.attempt > 1 { return Future(value: HTTPResponse(status: 201)) }
            return Future(value: HTTPResponse(status: 503, headers: ["Retry-After": "5"]))
        }
        let service = stack(
            .retry(on: scheduler, random: RandomSource(Fractions([0.5]))), over: busyAtFirst)

        var order = HTTPRequest(.post, orders, body: .data(Data("1 iPad Pro".utf8)))
        service(order).observe { result in log("\(result)") }

        order.context.idempotencyKey = "4711"
        service(order).observe { result in log("\(result)") }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: asked",
                "0.0 seconds: success(503, [Retry-After: 5], body of 0 bytes)",
                "0.0 seconds: asked",
                "5.25 seconds: asked",
                "5.25 seconds: success(201, [], body of 0 bytes)",
            ])
    }
}
