// snippet: imports
import Dispatch
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/FromEventLoopFuture.md.
@Suite(.oneAtATime) struct FromEventLoopFutureExamples {
    @Test func chain() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: load
        let loadUser = { @Sendable (id: Int) -> Future<String> in
            let promise = Promise<String>()  // eventLoop.makePromise(of: String.self)
            promise.resolve(with: "user \(id)")  // promise.succeed("user \(id)")
            return promise  // promise.futureResult
        }
        let loadOrders = { @Sendable (user: String) in Future(value: ["order of \(user)"]) }
        // end snippet
        // snippet: chain
        let orders = loadUser(7)
            .flatMap { user in loadOrders(user) }
            .map { orders in orders[0] }  // flatMapThrowing as well: map may throw
            .recover { error in "none" }
        orders.observe { result in print("\(result)") }  // whenComplete

        let all = Future.all([1, 2, 3].map(loadUser))  // whenAllSucceed
        let settled = Future.allSettled([1, 2, 3].map(loadUser))  // whenAllComplete
        let both = zip(loadUser(7), orders)  // and
        // end snippet
        #expect(lines.lines == ["success(\"order of user 7\")"])
        #expect(try all.settledValue().count == 3)
        #expect(try settled.settledValue().count == 3)
        #expect(try both.settledValue().0 == "user 7")
        // snippet: queue
        let queue = DispatchQueue(label: "orders")  // in place of an event loop
        let shown = orders.map(on: queue) { order in  // hop(to:), then map
            dispatchPrecondition(condition: .onQueue(queue))
            return order.uppercased()
        }
        // end snippet
        #expect(try await shown.value == "ORDER OF USER 7")
    }
}
