import Foundation
import PledgeFutures
import PledgeHTTPNetworking
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
        let future = makeNetworking(over: answering(status))(endpoint)
        #expect { try future.result?.get() } throws: { error in
            guard let error = error as? HTTPError else { return false }
            return error.code == .unacceptableStatus && error.status == status
                && error.body == Data("body".utf8) && error.endpoint == endpoint
                && error.request?.url == endpoint.url
        }
    }

    @Test func theStatusesThatAreAcceptedCanBeNamed() throws {
        let endpoint = Endpoint(path: "/a", base: base)
        #expect(makeNetworking(over: answering(404), accepting: 200..<500)(endpoint).hasSucceeded)
        #expect(!makeNetworking(over: answering(200), accepting: 201...201)(endpoint).hasSucceeded)
        #expect(makeNetworking(over: answering(900), accepting: 100...)(endpoint).hasSucceeded)
    }

    @Test func whatCannotBeSentIsNotSent() {
        let seen = Locked([HTTPRequest]())
        let future = makeNetworking(over: answering(200, seen: seen))(Endpoint(path: "/a"))
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
        #expect(throws: Own.self) {
            try makeNetworking(over: { _ in Future(error: Own()) })(endpoint).result?.get()
        }
    }

    @Test func cancellingReachesTheService() {
        let cancelled = Locked(false)
        let promise = Promise<HTTPResponse>()
        promise.onCancel { cancelled.withLock { $0 = true } }
        makeNetworking(over: { _ in promise }, base: base)(Endpoint(path: "/a")).cancel()
        #expect(cancelled.withLock { $0 })
    }
}
