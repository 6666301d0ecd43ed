// snippet: imports
import Foundation
import Pledge
import PledgeTraffic
// end snippet
import Testing

/// The code of Docs/Policies/Deadline.md about other servers.
@Suite struct PropagationExamples {
    @Test func headers() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: client
        let shop = URL(string: "https://shop.example.com")!
        let scheduler = ManualScheduler()
        let transport: HTTPService = { request in
            for name in ["Request-Timeout", "Request-Criticality"] {
                print("\(name): \(request.headers[name] ?? "none")")
            }
            return Future(value: HTTPResponse(status: 200))
        }
        let send = stack(
            .deadline(.seconds(10), on: scheduler), .priority(.sheddable),
            .retry(on: scheduler), .callPropagation(to: .origins(of: shop)), over: transport)

        _ = send(HTTPRequest(shop))
        // end snippet
        #expect(lines.lines == ["Request-Timeout: 10000", "Request-Criticality: sheddable"])
        // snippet: server
        let handle: HTTPService = { request in
            CallContext(request.headers, named: CallHeaders(), on: scheduler).run {
                send(HTTPRequest(shop.appending(path: "stock")))
            }
        }
        // end snippet
        _ = handle(HTTPRequest(shop, headers: ["Request-Timeout": "700"]))
        #expect(
            lines.lines.suffix(2) == ["Request-Timeout: 700", "Request-Criticality: sheddable"])
    }
}
