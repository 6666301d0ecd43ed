// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/CircuitBreaker.md.
@Suite struct CircuitBreakerExamples {
    private struct Broken: Error {}

    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        struct Broken: Error {}
        let downForSixSeconds: Service<Int, String> = { _ in
            log("asked")
            return scheduler.now.offset < .seconds(6)
                ? Future(error: Broken()) : Future(value: "iPad Pro")
        }
        let breaker = CircuitBreaker(
            failuresInARow: 2, lasting: .zero, backoff: .constant(.seconds(5)), on: scheduler)
        let load = stack(.circuitBreaker(sharing: breaker), over: downForSixSeconds)

        for _ in 1...6 {
            load(7).observe { result in
                switch result {
                case .success(let product): log(product)
                case .failure(let error): log("\(error)")
                }
            }
            scheduler.advance(by: .seconds(3))
        }
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: asked",
                "0.0 seconds: Broken()",
                "3.0 seconds: asked",
                "3.0 seconds: Broken()",
                "6.0 seconds: circuitBreaker: refused: the circuit is open, the service failed too often; "
                    + "call again in 2.0 seconds",
                "9.0 seconds: asked",
                "9.0 seconds: iPad Pro",
                "12.0 seconds: asked",
                "12.0 seconds: iPad Pro",
                "15.0 seconds: asked",
                "15.0 seconds: iPad Pro",
            ])
    }

    @Test func http() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: http
        let shop = URL(string: "https://shop.example.com")!
        let transport: HTTPService = { request in
            let isMissing = request.url.path == "/missing"
            return Future(value: HTTPResponse(status: isMissing ? 404 : 503))
        }
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: scheduler)
        let service = stack(.circuitBreaker(sharing: breaker), over: transport)

        for path in ["missing", "missing", "missing", "broken", "broken"] {
            _ = service(HTTPRequest(.get, shop.appending(path: path)))
            print("\(path): \(breaker.state == .closed ? "closed" : "open")")
        }
        // end snippet
        #expect(
            lines.lines == [
                "missing: closed", "missing: closed", "missing: closed", "broken: closed",
                "broken: open",
            ])
    }

    @Test func fallback() {
        let scheduler = ManualScheduler()
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let load = stack(
            .circuitBreaker(sharing: breaker), over: { (_: Int) in Future<String>(error: Broken()) }
        )
        _ = load(7)
        // snippet: refusal
        let shown = load(7).recover { error in
            guard let error = error as? ServiceError, error.code == .circuitOpen else {
                throw error
            }
            return "not available right now"
        }
        // end snippet
        #expect((try? shown.result?.get()) == "not available right now")
    }
}
