import Foundation
import Pledge
import PledgeTesting
import Testing

/// The code of Docs/Guides/Errors.md that compiles and has a client.
@Suite struct ErrorsClientExamples {
    typealias Product = ErrorsExamples.Product

    private static let shop = MemoryTransport(routes: [
        .get("/products/7", answer: .json(Product())),
        .post("/orders", answer: .status(201)),
        .get("/labels/7", answer: .text("new")),
    ])
    private let server = URL(string: "https://shop.example")!
    private let client = PledgeHTTPClients.HTTPClient(
        base: URL(string: "https://shop.example"), over: shop)

    private func HTTPClient(base: URL) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: Self.shop)
    }

    // snippet: constant-client
    func makeClient(of server: URL) -> HTTPClient {
        var client = HTTPClient(base: server)
        client.deadline = .seconds(10)
        return client
    }

    func loadingProducts(from server: URL) -> @Sendable (Int) -> Future<Product> {
        let client = makeClient(of: server)
        return { id in client.futures.get("/products/\(id)", as: Product.self) }
    }
    // end snippet

    @Test func constantClient() async throws {
        #expect(try await loadingProducts(from: server)(7).value == Product())
        #expect(makeClient(of: server).deadline == .seconds(10))
    }

    // snippet: value
    func load(by client: HTTPClient) async throws -> Data {
        try await client.networking(Endpoint(path: "/products/7")).value
    }

    func loadName(by client: HTTPClient) async throws -> String {
        let product: Product = try await client.get("/products/7")
        return product.name
    }
    // end snippet

    @Test func value() async throws {
        #expect(try await loadName(by: client) == "iPad Pro")
        #expect(try await JSONDecoder().decode(Product.self, from: load(by: client)) == Product())
    }

    // snippet: network-of-requests
    func caching(_ transport: @escaping HTTPService, at server: URL) -> Networking {
        makeNetworking(over: stack(.cache(), .retry(), over: transport), base: server)
    }
    // end snippet

    @Test func networkOfRequests() async throws {
        let network = caching(Self.shop.send, at: server)
        let data = try await network(Endpoint(path: "/products/7")).value
        #expect(try JSONDecoder().decode(Product.self, from: data) == Product())
    }

    // snippet: closure-parameter
    func name(by client: HTTPClient) -> Future<String> {
        client.futures.get("/products/7", as: Product.self).map { product in product.name }
    }
    // end snippet

    @Test func closureParameter() async throws {
        #expect(try await name(by: client).value == "iPad Pro")
    }

    // snippet: await
    func label(of product: Future<Product>, by client: HTTPClient) -> Future<String> {
        product.then { product in
            let data: Data = try await client.get("/labels/\(product.id)")
            return String(decoding: data, as: UTF8.self)
        }
    }
    // end snippet

    @Test func awaitInAClosure() async throws {
        #expect(try await label(of: Future(value: Product()), by: client).value == "new")
    }
}
