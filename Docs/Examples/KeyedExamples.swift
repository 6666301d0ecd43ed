// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Keyed.md.
@Suite struct EachExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        struct Query: Sendable {
            var tenant: String
            var number: Int
        }
        let search: Service<Query, Int> = { query in
            Future(value: query.number).delay(.seconds(1), on: scheduler)
        }
        let api = stack(
            .keyed(by: \.tenant) { tenant in
                .bulkhead(
                    sharing: Bulkhead(
                        named: tenant, limit: 2, queue: 0, leaseTime: nil, on: scheduler))
            },
            over: search)

        for (tenant, number) in [("a", 1), ("a", 2), ("a", 3), ("b", 4)] {
            api(Query(tenant: tenant, number: number)).observe { result in
                switch result {
                case .success(let number): log("answer \(number)")
                case .failure(let error): log("\(error)")
                }
            }
        }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: bulkhead \"a\": refused: as many calls are in flight and queued as allowed",
                "1.0 seconds: answer 1",
                "1.0 seconds: answer 2",
                "1.0 seconds: answer 4",
            ])
    }

    @Test func http() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: http
        let transport: HTTPService = { request in
            let isDown = request.url.host() == "images.example.com"
            return Future(value: HTTPResponse(status: isDown ? 503 : 200))
        }

        let images = URL(string: "https://images.example.com/7.png")!
        let shop = URL(string: "https://shop.example.com/products/7")!
        let observer = ServiceObserver { event in
            if case .stateChanged = event.kind { print(event.logLine) }
        }
        let send = stack(
            .observed(by: observer, on: scheduler),
            .keyed(by: \.origin) { origin in
                .circuitBreaker(
                    sharing: CircuitBreaker(
                        named: origin?.description, failuresInARow: 5, lasting: .zero))
            },
            over: transport)

        for _ in 1...5 { _ = send(HTTPRequest(.get, images)) }
        _ = send(HTTPRequest(.get, images)).onFailure { error in print("\(error)") }
        _ = send(HTTPRequest(.get, shop)).onSuccess { response in print("shop: \(response.status)")
        }
        // end snippet
        #expect(lines.lines.count == 3)
        #expect(
            lines.lines.first?.hasSuffix(
                #"policy=circuitBreaker event=state_changed policy_name=https://images.example.com:443 from=closed to=open"#
            ) == true)
        #expect(
            lines.lines[1].hasPrefix(
                #"circuitBreaker "https://images.example.com:443": refused: the circuit is open"#))
        #expect(lines.lines.last == "shop: 200")
    }
}
