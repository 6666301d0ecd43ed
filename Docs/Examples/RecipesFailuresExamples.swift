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
    // snippet: product
    struct Product: Codable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    private let scheduler: ManualScheduler
    private let shop: MemoryTransport
    private let lines = ExampleLog()

    init() {
        let scheduler = ManualScheduler()
        let pen = { @Sendable (wait: Duration) -> MemoryTransport.Answer in
            .future { _ in
                Future(value: HTTPResponse(status: 200, body: Data("pen".utf8)))
                    .delay(wait, on: scheduler)
            }
        }
        shop = MemoryTransport(routes: [
            .get("/products", answer: .sequence([.text("[]"), .status(404)])),
            .get("/products/7", answer: .sequence([.status(503), .text("pen")])),
            .get("/products/8", answer: .status(404, body: Data("no product 8".utf8))),
            .get("/products/9", answer: .sequence([pen(.seconds(9)), pen(.milliseconds(20))])),
            .get("/down", answer: .status(503)),
            .get("/lock", answer: .sequence([.status(409), .text("mine")])),
            .get("/repos", answer: .status(429, headers: ["Retry-After": "90"])),
            .post("/orders", answer: .sequence([.status(503), .text("order 1")])),
            .put("/orders/8", answer: .status(422, body: Data(#"{"fields":["count"]}"#.utf8))),
        ])
        self.scheduler = scheduler
    }

    /// A client over the shop, on virtual time.
    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        var client = PledgeHTTPClients.HTTPClient(base: base, over: shop)
        client.scheduler = scheduler
        return client
    }

    private var client: PledgeHTTPClients.HTTPClient { HTTPClient(base: server) }

    /// What the recipes print.
    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    @Test func retry() throws {
        // snippet: retry
        var client = HTTPClient(base: server)
        client.retry = .init(attempts: 4, backoff: .constant(.seconds(1)))
        // end snippet
        let product = client.futures.get("/products/7")
        let order = client.futures.post("/orders")
        scheduler.run()
        #expect(try product.settledValue().text == "pen")
        #expect(order.isRejected && scheduler.now.offset == .seconds(1))
    }

    @Test func noRetry() throws {
        // snippet: no-retry
        var client = HTTPClient(base: server)
        client.retry = nil
        // end snippet
        let product = client.futures.get("/products/7")
        #expect(product.isRejected)
    }

    @Test func key() throws {
        // snippet: key
        var client = HTTPClient(base: server)
        client.sendsIdempotencyKeys = true
        // end snippet
        let order = client.futures.post("/orders")
        scheduler.run()
        #expect(try order.settledValue().text == "order 1")
    }

    @Test func limits() {
        // snippet: limits
        var client = HTTPClient(base: server)
        client.attemptTimeout = .seconds(5)
        client.deadline = .seconds(20)
        // end snippet
        let product = client.futures.get("/products/9")
        scheduler.advance(by: .seconds(5))
        #expect(!product.isSettled)
        scheduler.run()
        #expect(product.isFulfilled && shop.calls.count == 2)
    }

    @Test func timeout() {
        // snippet: timeout
        let report = client.futures.get("/products/\(9)", as: Data.self)
        let limited = report.timeout(.seconds(2), on: client.scheduler)
        // end snippet
        scheduler.advance(by: .seconds(2))
        #expect(limited.error?.isTimeout == true)
    }

    @Test func deadline() {
        // snippet: deadline
        let client = HTTPClient(base: server)
        let buy = stack(
            .deadline(.seconds(8), on: client.scheduler),
            over: { (id: Int) -> Future<Data> in
                client.futures.get("/products/\(id)")
                    .flatMap { _ in client.futures.post("/orders") }.map(\.body)
            })
        // end snippet
        let bought = buy(9)
        scheduler.run()
        #expect(bought.error?.isTimeout == true)
        #expect(shop.calls.map(\.route) == ["GET /products/9"])
    }

    @Test func cancelled() async throws {
        let client = PledgeHTTPClients.HTTPClient(base: server, over: MockNetwork().send)
        // snippet: cancel
        let loading = Task { try await client.get("/products") }
        loading.cancel()  // when nobody needs it any more
        // end snippet
        await #expect(throws: CancellationError.self) { try await loading.value }
    }

    @Test func hedge() {
        // snippet: hedge
        var client = HTTPClient(base: server)
        client.hedge = .perOrigin(Hedge(after: .milliseconds(50)))
        // end snippet
        let product = client.futures.get("/products/9")
        scheduler.advance(by: .milliseconds(70))
        #expect(product.isFulfilled && shop.calls.count == 2)
    }

    @Test func breaker() {
        // snippet: breaker
        var client = HTTPClient(base: server)
        client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 5, lasting: .zero))
        // end snippet
        client.retry = nil
        for _ in 1...5 { let _ = client.futures.get("/down") }
        let refused = client.futures.get("/down")
        #expect(refused.error.map { "\($0)" }?.contains("the circuit is open") == true)
        #expect(shop.calls.count == 5)
    }

    @Test func ownRule() throws {
        // snippet: own-rule
        var client = HTTPClient(base: server)
        client.classifier = { end in
            guard case .success(let response) = end, response.status == 409 else { return nil }
            return .retryable(after: response.retryAfter)
        }
        // end snippet
        let lock = client.futures.get("/lock")
        scheduler.run()
        #expect(try lock.settledValue().text == "mine")
    }

    @Test func choices() {
        // snippet: choices
        var report = Endpoint(path: "/products/9")
        report.context.attemptTimeout = .seconds(45)
        report.context.deadline = .seconds(90)
        report.context.skipsRetry = true
        let answer = client.futures.send(report)
        // end snippet
        scheduler.run()
        #expect(answer.isFulfilled && scheduler.now.offset >= .seconds(9))
        #expect(shop.calls.count == 1)
    }

    @Test func fault() {
        // snippet: fault
        var client = HTTPClient(base: server)
        client.aroundExchange = .chaos(byHeader: "X-Chaos", on: client.scheduler)
        let broken = client.futures.get(
            "/products/\(8)", as: Data.self, headers: ["X-Chaos": "delay=200, status=503"])
        // end snippet
        scheduler.run()
        #expect((broken.error as? HTTPError)?.status == 503)
        #expect(shop.calls.isEmpty)
    }

    @Test func isolate() {
        // snippet: isolate
        let origin = HTTPOrigin(server)!
        let client = HTTPClient(base: server)
        client.origins[origin].isolate()  // while it is repaired
        let refused = client.futures.get("/orders")
        client.origins[origin].reset()
        let state = client.origins[origin].circuitBreaker?.state  // closed
        // end snippet
        #expect(refused.error.map { "\($0)" }?.contains("the circuit is isolated") == true)
        #expect(state == .closed)
        #expect(shop.calls.isEmpty)
    }

    @Test func rate() {
        // snippet: rate
        var client = HTTPClient(base: server)
        client.rateLimit = .perOrigin(
            RateLimiter(rate: 10, per: .seconds(1), burst: 10, maxWait: .seconds(5)))
        // end snippet
        let calls = (1...30).map { _ in client.futures.get("/products/8") }
        #expect(shop.calls.count == 10)
        scheduler.advance(by: .seconds(2))
        #expect(shop.calls.count == 30 && calls.allSatisfy(\.isSettled))
    }

    @Test func remaining() async throws {
        var client = HTTPClient(base: server)
        client.retry = nil
        // snippet: remaining
        do {
            let response = try await client.get("/repos")
            print("left: \(response.headers["X-RateLimit-Remaining"] ?? "unknown")")
        } catch let error as HTTPError where error.status == 429 {
            print("again in \(error.retryAfter ?? .seconds(60))")
        }
        // end snippet
        try RecipePage("Failures").expectOutput(lines)
    }

    @Test func fallback() throws {
        // snippet: fallback
        let kept = Data("stored".utf8)
        let answer = client.futures.get("/down", as: Data.self)
        let data = answer.recover { error in
            if error is CancellationError { throw error }
            return kept
        }
        // end snippet
        scheduler.run()
        #expect(try data.settledValue() == kept)
    }

    // snippet: stored
    func showProducts(
        from client: HTTPClient, keptIn file: URL, show: ([Product]) -> Void
    ) async throws {
        let decoder = client.json.decoder()
        if let old = try? Data(contentsOf: file) {
            try? show(decoder.decode([Product].self, from: old))
        }
        let new: Data = try await client.get("/products")
        try show(decoder.decode([Product].self, from: new))
        try? new.write(to: file, options: .atomic)
    }
    // end snippet

    @Test func stored() async throws {
        let file = URL.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        var shown: [Int] = []
        let client = client
        try await showProducts(from: client, keptIn: file) { shown.append($0.count) }
        #expect(shown == [0])
        let error = await #expect(throws: HTTPError.self) {
            try await showProducts(from: client, keptIn: file) { shown.append($0.count) }
        }
        #expect(error?.status == 404)
        #expect(shown == [0, 0])
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

    @Test func texts() {
        let missing = client.futures.get("/products/8")
        #expect(missing.error.flatMap(words) == "It is gone.")
        #expect(words(for: HTTPError(code: .notConnected)) == "You are offline.")
        #expect(words(for: HTTPError(code: .badResponse)) == "Something went wrong.")
        #expect(words(for: CancellationError()) == nil)
    }

    @Test func textsOfLimits() {
        let silent = Promise<HTTPResponse>()
        var client = PledgeHTTPClients.HTTPClient(base: server, over: { _ in silent.map { $0 } })
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
        struct Refusal: Decodable {
            var fields: [String]
        }

        do {
            try await client.put("/orders/\(8)", json: ["count": 0])
        } catch let error as HTTPError where error.status == 422 {
            let refusal: Refusal = try error.decodedBody()
            print("wrong: \(refusal.fields)")
        }
        // end snippet
        try RecipePage("Failures").expectOutput(lines)
    }
}

extension Future {
    fileprivate var error: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }

    fileprivate var isRejected: Bool { error != nil }
    fileprivate var isFulfilled: Bool { isSettled && error == nil }
}
