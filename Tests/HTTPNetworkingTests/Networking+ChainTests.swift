import Foundation
import PledgeComposition
import PledgeFutures
import PledgeHTTPNetworking
import Testing

/// Functions that make endpoints, networks and decoding can be chained.
@Suite struct NetworkingChainTests {
    private struct Order: Codable, Equatable {
        var price: Double
    }

    private let networking: Networking = { endpoint in
        Future(value: endpoint.body.data ?? Data(#"{"price":7}"#.utf8))
    }

    private let service: HTTPService = { request in
        Future(value: HTTPResponse(status: 200, body: Data(#"{"price":7}"#.utf8)))
    }

    @Sendable private static func order(_ order: Order) throws -> Endpoint {
        Endpoint(path: "/orders", method: .post, body: try .json(order))
    }

    @Sendable private static func product(withID id: Int) -> Endpoint { Endpoint(path: "/p/\(id)") }

    @Test func anEndpointFunctionThatThrowsIsChained() throws {
        let send = chain(Self.order, to: networking)
        #expect(try send(Order(price: 1)).result?.get() == Data(#"{"price":1}"#.utf8))
        #expect(throws: EncodingError.self) { try send(Order(price: .nan)).result?.get() }
        let load: @Sendable (Order) -> Future<Order> = chain(send, to: Future.decoded)
        #expect(try load(Order(price: 1)).result?.get() == Order(price: 1))
        let once = combine(
            Order(price: .infinity), with: { [networking] in networking(try Self.order($0)) })
        #expect(throws: EncodingError.self) { try once().result?.get() }
    }

    @Test func whatThrowsNothingIsChainedAsBefore() throws {
        let load = chain(Self.product, to: networking)
        let product: @Sendable (Int) -> Future<Order> = chain(load, to: Future.decoded)
        #expect(try product(7).result?.get() == Order(price: 7))
        let decode: @Sendable (Endpoint) -> Future<Order> = chain(networking, to: Future.decoded)
        #expect(try decode(Endpoint(path: "/")).result?.get() == Order(price: 7))
    }

    @Test func aServiceIsChainedWithDecoding() throws {
        let decode: @Sendable (HTTPRequest) -> Future<Order> = chain(service, to: Future.decoded)
        let url = try #require(URL(string: "https://h/"))
        #expect(try decode(HTTPRequest(url)).result?.get() == Order(price: 7))
    }

    @Test func threeFunctionsInOneCall() throws {
        let load = chain(
            Self.product, to: networking, to: Future.decoded(as: Order.self))
        #expect(try load(7).result?.get() == Order(price: 7))
        let inferred: @Sendable (Int) -> Future<Order> = chain(
            Self.product, to: networking, to: Future.decoded)
        #expect(try inferred(7).result?.get() == Order(price: 7))
        let send = chain(Self.order, to: networking, to: Future.decoded(as: Order.self))
        #expect(try send(Order(price: 1)).result?.get() == Order(price: 1))
        #expect(throws: EncodingError.self) { try send(Order(price: .nan)).result?.get() }
    }
}
