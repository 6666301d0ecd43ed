// snippet: imports
import Foundation
import Pledge
import PledgeTesting
import Testing

// end snippet
// swift-format-ignore: OrderedImports
import TestSupport

/// The code of Docs/Guides/Testing.md.
@Suite(.oneAtATime)
struct TestingExamples {
    // snippet: loader
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
    // end snippet

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
        call.answer(with: .json(Product(id: 7, name: "iPad Pro")))
        #expect(try future.settledValue() == Product(id: 7, name: "iPad Pro"))
    }
    // end snippet

    // snippet: answers
    @Test func answersOfAllKinds() throws {
        let network = MockNetwork()
        let answers = (1...4).map { id in network.request(Endpoint(path: "/products/\(id)")) }

        // A value as JSON. It throws in the test where the value cannot be encoded.
        try network.next().answer(with: .json(Product(id: 1, name: "iPad Pro")))
        let product: Future<Product> = answers[0].decoded()
        #expect(try product.settledValue().name == "iPad Pro")

        // Bytes.
        try network.next().answer(with: Data("[1, 2, 3]".utf8))
        #expect(try answers[1].settledValue() == Data("[1, 2, 3]".utf8))

        // A status. Outside 200…299 the future rejects, exactly as with a real transport.
        try network.next().answer(with: .status(404, body: Data("no such product".utf8)))
        let missing = #expect(throws: HTTPError.self) { try answers[2].settledValue() }
        #expect(missing?.status == 404)

        // An error, for what never was a response.
        try network.next().answer(with: .failure(HTTPError(code: .connectionLost)))
        #expect(throws: HTTPError.self) { try answers[3].settledValue() }
    }
    // end snippet

    // snippet: order
    @Test func theSecondAnswerMayComeFirst() throws {
        let network = MockNetwork()
        let loader = ProductLoader(networking: network.request)
        let both = zip(loader.loadProduct(withID: 1), loader.loadProduct(withID: 2))

        let first = try network.next()
        let second = try network.next()
        second.answer(with: .json(Product(id: 2, name: "two")))
        #expect(both.result == nil)
        first.answer(with: .json(Product(id: 1, name: "one")))

        #expect(try both.settledValue().0.name == "one")
    }
    // end snippet

    // snippet: await
    @Test func aCallThatComesLater() async throws {
        let network = MockNetwork()
        let loader = ProductLoader(networking: network.request)
        let name = Task { try await loader.loadProduct(withID: 7).value.name }

        let call = try await network.next()
        call.answer(with: .json(Product(id: 7, name: "iPad Pro")))

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

    // snippet: pending
    @Test func namesWhatIsLeft() throws {
        let network = MockNetwork()
        let future = ProductLoader(networking: network.request).loadProduct(withID: 7)

        let pending = network.pending.map(\.description)
        #expect(pending == ["call 1, GET /products/7, not taken"])
        #expect(throws: MockError.self) { try network.finish() }
        #expect(!future.isSettled)
    }
    // end snippet

    @Test func mishaps() throws {
        let network = MockNetwork()
        let future = ProductLoader(networking: network.request).loadProduct(withID: 7)
        #expect(throws: MockError.self) { try network.finish() }
        let call = try network.next()
        call.answer(with: .json(Product(id: 7, name: "late")))
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
        let loader = ProductLoader(networking: makeNetworking(over: service, base: server))
        let future = loader.loadProduct(withID: 7)

        let call = try network.next()
        #expect(call.headers["X-App"] == "Shop")
        #expect(call.headers["Authorization"] == "Bearer t0ken")
        #expect(call.request?.url == server.appending(path: "products/7"))
        call.answer(with: .json(Product(id: 7, name: "iPad Pro")))
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
        let api = makeNetworking(over: transport.send, base: server.url)

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
            .retry(Retry(attempts: 2, backoff: .constant(.zero))), over: transport.send)
        let api = makeNetworking(over: service, base: server.url)

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
