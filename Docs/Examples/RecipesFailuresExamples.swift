// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/Failures.md.
@Suite(.oneAtATime)
struct RecipesFailuresExamples {
    private let server: URL
    private let scheduler: ManualScheduler
    private let shop: MemoryTransport
    private let lines = ExampleLog()

    /// What the recipes print.
    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    init() {
        // snippet: shop
        let server = URL(string: "https://api.example.com")!
        let scheduler = ManualScheduler()
        let pen = { @Sendable (wait: Duration) -> MemoryTransport.Answer in
            .future { _ in Future(value: Data("pen".utf8)).delay(wait, on: scheduler) }
        }

        /// As GitHub says that a quota is used up, and when it begins anew: here in five seconds.
        let quota: HTTPHeaders = [
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": "\(Int(Date().timeIntervalSince1970) + 5)",
        ]

        /// A shop in memory, on virtual time: busy at first, slow at first, without a product 8.
        let shop = MemoryTransport(routes: [
            .get("/products/7", answer: .sequence([.status(503), .text("pen")])),
            .get("/products/8", answer: .status(404, body: Data("no product 8".utf8))),
            .get("/products/9", answer: .sequence([pen(.seconds(9)), pen(.milliseconds(20))])),
            .get("/down", answer: .status(503)),
            .get("/repos", answer: .sequence([.status(403, headers: quota), .text("repos")])),
            .post("/orders", answer: .sequence([.status(503), .text("order 1")])),
            .put("/orders/8", answer: .status(422, body: Data(#"{"fields":["count"]}"#.utf8))),
        ])
        // end snippet
        (self.server, self.scheduler, self.shop) = (server, scheduler, shop)
    }

    @Test func retry() throws {
        // snippet: retry
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.retry = .init(attempts: 4, backoff: .constant(.seconds(1)))
        let product: Future<HTTPResponse> = client.get("/products/7")
        product.onSuccess { print($0.text) }
        let order: Future<HTTPResponse> = client.post("/orders")  // a POST is sent once
        order.onFailure { print("\($0)") }
        scheduler.run()
        // end snippet
        try RecipePage("Failures").expectOutput(lines)
        #expect(lines.lines == ["POST https://api.example.com/orders answered 503", "pen"])
    }

    @Test func key() {
        // snippet: key
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.sendsIdempotencyKeys = true
        client.send(HTTPRequest(.post, server.appending(path: "orders"))).observe { result in
            print("\(result.map(\.text))")
        }
        scheduler.run()
        // end snippet
        #expect(lines.lines == [#"success("order 1")"#])
        #expect(shop.calls.count == 2)
    }

    @Test func timeout() {
        // snippet: timeout
        let networking = HTTPClient(base: server, over: shop).networking
        networking(Endpoint(path: "/products/9")).timeout(.seconds(2), on: scheduler)
            .observe { result in print("\(result.map(\.count))") }
        scheduler.advance(by: .seconds(2))
        // end snippet
        #expect(lines.lines.count == 1)
        #expect(lines.lines.first?.contains("timed out") == true)
    }

    @Test func deadline() {
        // snippet: deadline
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        let networking = client.networking
        let buy = stack(
            .deadline(.seconds(8), on: scheduler),
            over: { (id: Int) -> Future<Data> in
                networking(Endpoint(path: "/products/\(id)")).flatMap { _ in
                    networking(Endpoint(path: "/orders", method: .post))
                }
            })
        buy(9).observe { result in print("\(result.map(\.count))") }
        scheduler.run()
        // end snippet
        #expect(lines.lines.count == 1)
        #expect(lines.lines.first?.contains("deadline") == true)
        #expect(shop.calls.map(\.route) == ["GET /products/9"])
    }

    @Test func hedge() {
        // snippet: hedge
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.hedge = .init(after: .milliseconds(50))
        client.networking(Endpoint(path: "/products/9")).observe { result in
            print("\(scheduler.now.offset): \(result.map(\.count))")  // 0.07 seconds: success(3)
        }
        scheduler.run()
        // end snippet
        #expect(lines.lines == ["0.07 seconds: success(3)"])
    }

    @Test func breaker() {
        // snippet: breaker
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.retry = nil
        client.circuitBreaker = .perOrigin { CircuitBreaker(failuresInARow: 5, on: $0.scheduler) }
        for _ in 1...5 { _ = client.networking(Endpoint(path: "/down")) }
        client.networking(Endpoint(path: "/down")).onFailure { error in print("\(error)") }
        // end snippet
        #expect(lines.lines.count == 1)
        #expect(lines.lines.first?.contains("the circuit is open") == true)
        #expect(shop.calls.count == 5)
    }

    @Test func quota() {
        // snippet: quota
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.classifier = { end in
            guard case .success(let response) = end, response.status == 403,
                let reset = response.headers["X-RateLimit-Reset"].flatMap(Double.init)
            else { return nil }  // the standard rules
            let delay = Duration.seconds(max(0, reset - Date().timeIntervalSince1970))
            return .init(isSuccess: false, health: .healthy, retry: .after(delay), fault: .caller)
        }
        client.send(HTTPRequest(server.appending(path: "repos"))).observe { result in
            print("\(result.map(\.text))")
        }
        scheduler.run()
        // end snippet
        #expect(lines.lines == [#"success("repos")"#])
        #expect(shop.calls.count == 2)
    }

    @Test func choices() {
        // snippet: choices
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        var report = Endpoint(path: "/products/9")
        report.context.attemptTimeout = .seconds(45)
        report.context.deadline = .seconds(90)
        report.context.skipsHedge = true
        client.networking(report).observe { result in
            print("\(scheduler.now.offset): \(result.map(\.count))")
        }
        var check = Endpoint(path: "/down")
        check.context.skipsRetry = true
        check.context.skipsCircuitBreaker = true
        client.networking(check).onFailure { error in print("\(error)") }
        scheduler.run()
        // end snippet
        #expect(lines.lines.count == 2)
        #expect(lines.lines.last == "9.0 seconds: success(3)")
        #expect(shop.calls.count == 2)
    }

    @Test func fault() {
        // snippet: fault
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.retry = .init(attemptHeader: "X-Attempt")
        client.aroundExchange = .chaos(byHeader: "X-Chaos", on: scheduler)
        let broken = Endpoint(path: "/products/8", headers: ["X-Chaos": "delay=200, status=503"])
        client.networking(broken).onFailure { error in
            print("\(scheduler.now.offset): \(error)")
        }
        scheduler.run()
        // end snippet
        #expect(lines.lines.count == 1)
        #expect(lines.lines.first?.contains("503") == true)
        #expect(shop.calls.isEmpty)
    }

    @Test func isolate() {
        // snippet: isolate
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        let origin = HTTPOrigin(server)!
        client.origins[origin].isolate()  // while it is repaired
        client.networking(Endpoint(path: "/orders")).onFailure { error in print("\(error)") }
        client.origins[origin].reset()
        print("\(client.origins.all.map { client.origins[$0].circuitBreaker?.state })")
        // end snippet
        #expect(lines.lines.first?.contains("the circuit is isolated") == true)
        #expect(lines.lines.last == "[Optional(Services.CircuitBreaker.State.closed)]")
        #expect(shop.calls.isEmpty)
    }

    @Test func rate() {
        // snippet: rate
        var client = HTTPClient(base: server, over: shop)
        client.scheduler = scheduler
        client.rateLimit = .perOrigin(
            rate: 10, per: .seconds(1), burst: 10, maxWait: .seconds(5))
        for _ in 1...30 {
            client.networking(Endpoint(path: "/products/8"))
                .always { print("\(scheduler.now.offset)") }
        }
        scheduler.run()
        // end snippet
        #expect(lines.lines.count == 30)
        #expect(lines.lines.last == "2.0 seconds")
    }

    @Test func fallback() async throws {
        // snippet: fallback
        let kept: Networking = { endpoint in
            Future(value: Data("stored answer of \(endpoint.path)".utf8))
        }
        var client = HTTPClient(base: server, over: shop)
        client.retry = nil
        let networking: Networking = stack(.fallback(to: kept), over: client.networking)
        let data = try await networking(Endpoint(path: "/down")).value
        // end snippet
        #expect(String(decoding: data, as: UTF8.self) == "stored answer of /down")
    }

    // snippet: words
    func words(for error: any Error) -> String? {
        if error is CancellationError { return nil }
        if error.isTimeout { return "The server is slow. Try again." }
        switch (error as? HTTPError)?.code {
        case .notConnected?, .cannotFindHost?, .cannotConnect?: return "You are offline."
        case .connectionLost?: return "The connection broke. Try again."
        case .signInNeeded?: return "Sign in again."
        case .unacceptableStatus?: break
        default: return "Something went wrong."
        }
        return (error as? HTTPError)?.status == 404 ? "It is gone." : "The server has a problem."
    }
    // end snippet

    // snippet: keep
    func load(
        _ endpoint: Endpoint, keptIn file: URL, over networking: @escaping Networking
    ) -> Future<Data> {
        let kept: Networking = stack(
            .fallback { error in
                let status = (error as? HTTPError)?.status ?? 500  // 500: no answer at all
                if status >= 500, let data = try? Data(contentsOf: file) { return data }
                throw error ?? CancellationError()
            },
            over: { endpoint in
                networking(endpoint).onSuccess { try? $0.write(to: file, options: .atomic) }
            })
        return kept(endpoint)
    }
    // end snippet

    @Test func texts() async throws {
        let missing = HTTPClient(base: server, over: shop).networking(Endpoint(path: "/products/8"))
        let error = await #expect(throws: HTTPError.self) { try await missing.value }
        #expect(try words(for: #require(error)) == "It is gone.")
        #expect(words(for: HTTPError(code: .notConnected)) == "You are offline.")
        #expect(words(for: HTTPError(code: .badResponse)) == "Something went wrong.")
        #expect(words(for: CancellationError()) == nil)
    }

    @Test func textsOfLimits() {
        let silent = Promise<HTTPResponse>()
        var client = HTTPClient(base: server, over: { _ in silent.map { $0 } })
        client.scheduler = scheduler
        client.retry = nil
        client.attemptTimeout = .seconds(1)
        let attempt = client.networking(Endpoint(path: "/pen"))
        client.attemptTimeout = nil
        client.deadline = .seconds(1)
        let call = client.networking(Endpoint(path: "/pen"))
        scheduler.advance(by: .seconds(1))
        for future in [attempt, call] {
            guard case .failure(let error) = future.result else {
                Issue.record("no limit ended the call")
                continue
            }
            #expect(words(for: error) == "The server is slow. Try again.")
        }
    }

    @Test func body() async throws {
        // snippet: body
        struct Refusal: Decodable { var fields: [String] }

        let order = Endpoint(path: "/orders/8", method: .put, body: .data(Data("0 pens".utf8)))
        do {
            _ = try await HTTPClient(base: server, over: shop).networking(order).value
        } catch let error as HTTPError where error.status == 422 {
            let refusal: Refusal = try error.decodedBody()
            print("\(refusal.fields)")  // ["count"]
        }
        // end snippet
        #expect(lines.lines == [#"["count"]"#])
    }
}
