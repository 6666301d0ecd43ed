import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// Middleware that works around a network as it does around a service.
@Suite struct EndpointHeadersTests {
    private func sent(
        _ middleware: Middleware<Endpoint, Data>, _ endpoint: Endpoint
    ) -> HTTPHeaders? {
        let seen = Locked<HTTPHeaders?>(nil)
        let api = stack(middleware) { (endpoint: Endpoint) in
            seen.withLock { $0 = endpoint.effectiveHeaders }
            return Future(value: Data())
        }
        #expect(api(endpoint).hasSucceeded)
        return seen.withLock { $0 }
    }

    @Test func defaultHeadersFillWhatIsMissing() throws {
        let defaults: HTTPHeaders = ["Accept": "a", "X-App": "shop", "Content-Type": "text/plain"]
        let endpoint = Endpoint(
            path: "/x", method: .post, headers: ["accept": ""], body: try .json([1]))
        #expect(
            sent(.defaultHeaders(defaults), endpoint)
                == ["accept": "", "X-App": "shop", "Content-Type": "application/json"])
    }

    @Test func theUserAgentIsSaidOnce() {
        #expect(sent(.userAgent("Shop/2"), Endpoint(path: "/")) == ["User-Agent": "Shop/2"])
        let own = Endpoint(path: "/", headers: ["User-Agent": "Mine"])
        #expect(sent(.userAgent("Shop/2"), own) == ["User-Agent": "Mine"])
    }

    @Test func whatMayNotBeSentTwiceGetsAKey() throws {
        let post = Endpoint(path: "/", method: .post)
        #expect(sent(.idempotencyKey { _ in "k" }, post) == ["Idempotency-Key": "k"])
        #expect(sent(.idempotencyKey { _ in "k" }, Endpoint(path: "/")) == [:])
        let keyed = Endpoint(path: "/", method: .post, headers: ["idempotency-key": "own"])
        #expect(sent(.idempotencyKey { _ in "k" }, keyed) == ["idempotency-key": "own"])
        let key = try #require(sent(.idempotencyKey(), post)?["Idempotency-Key"])
        #expect(UUID(uuidString: key) != nil)
    }

    @Test func aRetryBeneathRepeatsWhatHasAKey() throws {
        let keys = Locked([String?]())
        let api = stack(.idempotencyKey(), .retry(attempts: 2, backoff: .constant(.zero))) {
            (endpoint: Endpoint) -> Future<Data> in
            let count = keys.withLock { keys in
                keys.append(endpoint.headers["Idempotency-Key"])
                return keys.count
            }
            return count < 2
                ? Future(error: HTTPError(code: .connectionLost)) : Future(value: Data())
        }
        #expect(api(Endpoint(path: "/", method: .post)).hasSucceeded)
        let sent = keys.withLock { $0 }
        #expect(sent.count == 2 && sent[0] != nil && sent[0] == sent[1])
    }
}
