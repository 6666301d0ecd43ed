import Foundation
import PledgeComposition
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import Testing

@Suite struct NetworkingOverTests {
    private let base = URL(string: "https://api.example.com")!

    private func answering(_ status: Int, seen: Locked<[HTTPRequest]> = Locked([])) -> HTTPService {
        { request in
            seen.withLock { $0.append(request) }
            return Future(value: HTTPResponse(status: status, body: Data("body".utf8)))
        }
    }

    @Test func anEndpointsRequestReachesTheService() throws {
        let seen = Locked([HTTPRequest]())
        let api = makeNetworking(over: answering(200, seen: seen), base: base)
        #expect(try api(Endpoint(path: "/a", method: .delete)).result?.get() == Data("body".utf8))
        let request = try #require(seen.withLock { $0 }.first)
        #expect(
            request.url.absoluteString == "https://api.example.com/a" && request.method == .delete)
    }

    @Test func anEndpointsOwnBaseHolds() throws {
        let seen = Locked([HTTPRequest]())
        let api = makeNetworking(over: answering(200, seen: seen), base: base)
        _ = api(Endpoint(path: "/a", base: URL(string: "http://other.com")))
        _ = api(Endpoint(url: URL(string: "http://third.com/b")!))
        #expect(
            seen.withLock { $0.map(\.url.absoluteString) }
                == ["http://other.com/a", "http://third.com/b"])
    }

    @Test(arguments: [199, 300, 404, 500])
    func anotherStatusIsAnErrorThatKeepsEverything(status: Int) throws {
        let endpoint = Endpoint(path: "/a", base: base)
        let networking = makeNetworking(over: answering(status))
        let future = networking(endpoint)
        #expect { try future.result?.get() } throws: { error in
            guard let error = error as? HTTPError else { return false }
            return error.code == .unacceptableStatus && error.status == status
                && error.body == Data("body".utf8) && error.endpoint == endpoint
                && error.request?.url == endpoint.url
        }
    }

    @Test func theStatusesThatAreAcceptedCanBeNamed() throws {
        let endpoint = Endpoint(path: "/a", base: base)
        let upTo500 = makeNetworking(over: answering(404), accepting: 200..<500)
        #expect(upTo500(endpoint).hasSucceeded)
        let only201 = makeNetworking(over: answering(200), accepting: 201...201)
        #expect(!only201(endpoint).hasSucceeded)
        let all = makeNetworking(over: answering(900), accepting: 100...)
        #expect(all(endpoint).hasSucceeded)
    }

    @Test func anEndpointThatCannotBeSentIsNotSent() {
        let seen = Locked([HTTPRequest]())
        let networking = makeNetworking(over: answering(200, seen: seen))
        let future = networking(Endpoint(path: "/a"))
        #expect(throws: Endpoint.Error.invalidURL) { try future.result?.get() }
        #expect(seen.withLock { $0 }.isEmpty)
    }

    @Test func anErrorOfTheServiceGetsTheEndpoint() {
        struct Own: Error {}
        let endpoint = Endpoint(path: "/a", base: base)
        let lost = makeNetworking(over: { _ in Future(error: HTTPError(code: .connectionLost)) })
        #expect { try lost(endpoint).result?.get() } throws: { error in
            (error as? HTTPError)?.endpoint == endpoint
                && (error as? HTTPError)?.code == .connectionLost
        }
        let own = makeNetworking(over: { _ in Future(error: Own()) })
        #expect(throws: Own.self) { try own(endpoint).result?.get() }
    }

    @Test func cancellingReachesTheService() {
        let cancelled = Locked(false)
        let promise = Promise<HTTPResponse>()
        promise.onCancel { cancelled.withLock { $0 = true } }
        let networking = makeNetworking(over: { _ in promise }, base: base)
        networking(Endpoint(path: "/a")).cancel()
        #expect(cancelled.withLock { $0 })
    }
}

/// Functions that make endpoints, networks and decoding can be chained.
@Suite struct NetworkingChainTests {
    private struct Order: Codable, Equatable {
        var price: Double
    }

    private let networking: Networking = { endpoint in
        let sent = endpoint.body.data ?? Data()
        return Future(value: sent.isEmpty ? Data(#"{"price":7}"#.utf8) : sent)
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
        let load = chain(send, to: Future.decoded(as: Order.self))
        #expect(try load(Order(price: 1)).result?.get() == Order(price: 1))
        let once = combine(
            Order(price: .infinity), with: { [networking] in networking(try Self.order($0)) })
        #expect(throws: EncodingError.self) { try once().result?.get() }
    }

    @Test func whatThrowsNothingIsChainedAsBefore() throws {
        let load = chain(Self.product, to: networking)
        let product = chain(load, to: Future.decoded(as: Order.self))
        #expect(try product(7).result?.get() == Order(price: 7))
        let decode = chain(networking, to: Future.decoded(as: Order.self))
        #expect(try decode(Endpoint(path: "/")).result?.get() == Order(price: 7))
    }

    @Test func aServiceIsChainedWithDecoding() throws {
        let decode = chain(service, to: { $0.decoded(as: Order.self) })
        let url = try #require(URL(string: "https://h/"))
        #expect(try decode(HTTPRequest(url)).result?.get() == Order(price: 7))
    }

    @Test func oneCallMayChainThreeFunctions() throws {
        let load = chain(
            Self.product, to: networking, to: Future.decoded(as: Order.self))
        #expect(try load(7).result?.get() == Order(price: 7))
        let send = chain(Self.order, to: networking, to: Future.decoded(as: Order.self))
        #expect(try send(Order(price: 1)).result?.get() == Order(price: 1))
        #expect(throws: EncodingError.self) { try send(Order(price: .nan)).result?.get() }
    }
}
