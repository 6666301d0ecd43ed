import Foundation
import Pledge
import PledgeTesting
import Testing

/// The code of Docs/Guides/Testing.md.
@Suite(.timeLimit(.minutes(10)))
struct TestingExamples {
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    final class ProductLoader: Sendable {
        private let networking: Networking

        init(networking: @escaping Networking) { self.networking = networking }

        func loadProduct(withID id: Int) -> Future<Product> {
            networking(Endpoint(path: "/products/\(id)")).decoded()
        }
    }

    @Test func value() throws {
        // snippet: value
        let product = Product(id: 7, name: "iPad Pro")
        let loading = { Promise(value: product) }

        #expect(try loading().settledValue().name == "iPad Pro")
        // end snippet
    }

    // snippet: mock
    @Test func loadsAProduct() throws {
        let network = MockNetwork()
        let loader = ProductLoader(networking: network.request)

        let future = loader.loadProduct(withID: 7)

        let call = try network.next()
        #expect(call.endpoint == Endpoint(path: "/products/7"))
        try call.answer(with: .json(Product(id: 7, name: "iPad Pro")))
        #expect(try future.settledValue() == Product(id: 7, name: "iPad Pro"))
    }
    // end snippet

    @Test func answers() throws {
        let network = MockNetwork()
        let product = Product(id: 7, name: "iPad Pro")
        let futures = (0..<5).map { _ in network.request(Endpoint(path: "/products/7")) }
        let calls = try futures.map { _ in try network.next() }
        var remaining = calls[...]
        func next() -> MockCall { remaining.removeFirst() }
        var call = next()
        // snippet: answers
        try call.answer(with: .json(product))
        // end snippet
        call = next()
        // snippet: answer-data
        call.answer(with: Data(#"{"id": 7, "name": "iPad Pro"}"#.utf8))
        // end snippet
        call = next()
        // snippet: answer-status
        call.answer(with: .status(404, body: Data("no such product".utf8)))
        // end snippet
        call = next()
        // snippet: answer-failure
        call.answer(with: .failure(HTTPError(code: .connectionLost)))
        // end snippet
        _ = next().answer(with: .text("last"))
        #expect(try futures[0].decoded(as: Product.self, using: .init()).settledValue() == product)
        #expect(try futures[1].decoded(as: Product.self, using: .init()).settledValue() == product)
        #expect(
            try #require(throws: HTTPError.self) { try futures[2].settledValue() }.status == 404
        )
        #expect(
            try #require(throws: HTTPError.self) { try futures[3].settledValue() }.code
                == .connectionLost
        )
        #expect(try futures[4].settledValue() == Data("last".utf8))
    }

    // snippet: order
    @Test func theSecondAnswerMayComeFirst() throws {
        let network = MockNetwork()
        let loader = ProductLoader(networking: network.request)
        let both = zip(loader.loadProduct(withID: 1), loader.loadProduct(withID: 2))

        let first = try network.next()
        let second = try network.next()
        try second.answer(with: .json(Product(id: 2, name: "two")))
        #expect(both.result == nil)
        try first.answer(with: .json(Product(id: 1, name: "one")))

        #expect(try both.settledValue().0.name == "one")
    }
    // end snippet

    // snippet: await
    @Test func aCallThatComesLater() async throws {
        let network = MockNetwork()
        let loader = ProductLoader(networking: network.request)
        let name = Task { try await loader.loadProduct(withID: 7).value.name }

        let call = try await network.next()
        try call.answer(with: .json(Product(id: 7, name: "iPad Pro")))

        #expect(try await name.value == "iPad Pro")
    }
    // end snippet

    // snippet: cancel
    @Test func leavingTheScreenCancels() throws {
        let network = MockNetwork()
        let future = ProductLoader(networking: network.request).loadProduct(withID: 7)
        let call = try network.next()

        future.cancel()

        #expect(call.isCancelled)
        #expect(network.pending.isEmpty)
    }
    // end snippet

    @Test func mishaps() throws {
        let network = MockNetwork()
        let loader = ProductLoader(networking: network.request)
        // snippet: pending
        let future = loader.loadProduct(withID: 7)

        let pending = network.pending.map(\.description)
        #expect(pending == ["call 1, GET /products/7, not taken"])
        #expect(throws: MockError.self) { try network.finish() }
        // end snippet
        let call = try network.next()
        try call.answer(with: .json(Product(id: 7, name: "late")))
        #expect(try future.settledValue().name == "late")
        let unexpected = network.request(Endpoint(path: "/more"))
        let error = try #require(throws: MockError.self) { try unexpected.settledValue() }
        #expect(error.code == .unexpectedCall)
    }

    // snippet: time
    @Test func givesUpAfterTwoSeconds() throws {
        let network = MockNetwork()
        let scheduler = ManualScheduler()
        let future = ProductLoader(networking: network.request).loadProduct(withID: 7)
            .timeout(.seconds(2), on: scheduler)
        let call = try network.next()

        scheduler.advance(by: .seconds(2))

        #expect(throws: FutureError.self) { try future.settledValue() }
        #expect(call.isCancelled)
    }
    // end snippet

    // snippet: in-memory
    @Test func showsWhatTheServerHas() throws {
        let transport = MemoryTransport(routes: [
            .get("/products/:id", answer: .json(Product(id: 7, name: "iPad Pro"))),
            .post("/login", answer: .status(401)),
        ])
        let loader = ProductLoader(networking: transport.request)

        let product = try loader.loadProduct(withID: 7).settledValue()

        #expect(product.name == "iPad Pro")
        #expect(transport.calls.map(\.endpoint.path) == ["/products/7"])
    }
    // end snippet

    // snippet: mock-headers
    @Test func signsItsRequests() throws {
        let network = MockNetwork()
        let server = URL(string: "https://shop.example.com")!
        let service = stack(
            .defaultHeaders(["X-App": "Shop"]),
            .authorize(.bearer("t0ken"), for: .origins(of: server)),
            over: network.send)
        let loader = ProductLoader(networking: networking(over: service, base: server))
        let future = loader.loadProduct(withID: 7)

        let call = try network.next()
        #expect(call.headers["X-App"] == "Shop")
        #expect(call.headers["Authorization"] == "Bearer t0ken")
        #expect(call.request?.url == server.appending(path: "products/7"))
        try call.answer(with: .json(Product(id: 7, name: "iPad Pro")))
        #expect(try future.settledValue().name == "iPad Pro")
    }
    // end snippet

    // snippet: loopback-routes
    @Test func loadsOverRealSockets() async throws {
        let routes = MemoryTransport(routes: [
            .get("/products/:id", answer: .json(Product(id: 7, name: "iPad Pro")))
        ])
        let server = try LoopbackServer(serving: routes.send)
        defer { server.stop() }
        let transport = SessionTransport()
        let api = networking(over: transport.send, base: server.url)

        let product = try await ProductLoader(networking: api).loadProduct(withID: 7).value

        #expect(product.name == "iPad Pro")
        #expect(server.requests.map(\.target) == ["/products/7"])
        #expect(server.requests.first?.headers["Host"] == "127.0.0.1:\(server.port)")
        try await transport.close(cancelling: true).value
    }
    // end snippet

    // snippet: loopback-breaking
    @Test func asksAgainWhereTheAnswerBreaksOff() async throws {
        let server = try LoopbackServer(answers: [
            .truncated(#"{"id": 7, "#, of: 30),
            .json(Product(id: 7, name: "iPad Pro")),
        ])
        defer { server.stop() }
        let transport = SessionTransport()
        let service = stack(
            .retry(attempts: 2, backoff: .constant(.zero)), over: transport.send)
        let api = networking(over: service, base: server.url)

        let product = try await ProductLoader(networking: api).loadProduct(withID: 7).value

        #expect(product.name == "iPad Pro")
        #expect(server.requests.count == 2)
        try await transport.close(cancelling: true).value
    }
    // end snippet

    // snippet: loopback-hold
    @Test func leavingTheScreenHangsUp() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(go)]) }
        defer { server.stop() }
        let transport = SessionTransport()
        let future = transport.send(HTTPRequest(server.url))
        _ = try await server.received(1).value

        future.cancel()

        try await server.hungUp(1).value
        try await transport.close(cancelling: true).value
    }
    // end snippet
}
