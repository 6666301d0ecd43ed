import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@Suite struct IdempotencyKeyTests {
    private let url = URL(string: "https://a.example/")!
    private let random = RandomSource(SeededGenerator(seed: 5))

    private func key(of request: HTTPRequest) throws -> String? {
        let service = stack(
            .idempotencyKey(random: random),
            over: { (request: HTTPRequest) in
                Future(value: request)
            })
        return try #require(try service(request).result?.get()).effectiveHeaders["Idempotency-Key"]
    }

    @Test(arguments: [HTTPMethod.post, .patch, "LOCK"])
    func aRequestThatMustNotBeCarriedOutTwiceGetsAKey(method: HTTPMethod) throws {
        #expect(try key(of: HTTPRequest(method, url)) != nil)
    }

    @Test(arguments: [HTTPMethod.get, .head, .put, .delete, .options, .trace, .query])
    func anIdempotentMethodGetsNoKey(method: HTTPMethod) throws {
        #expect(try key(of: HTTPRequest(method, url)) == nil)
    }

    @Test func aKeyThatIsThereStays() throws {
        let context = HTTPRequest.Context(idempotencyKey: "mine")
        #expect(try key(of: HTTPRequest(.post, url, context: context)) == "mine")
        #expect(try key(of: HTTPRequest(.post, url, headers: ["idempotency-key": "own"])) == "own")
    }

    @Test func aKeyIsARandomUUIDOfVersion4() throws {
        var seen: Set<String> = []
        for _ in 0..<1_000 {
            let key = try #require(try key(of: HTTPRequest(.post, url)))
            let uuid = try #require(UUID(uuidString: key))
            #expect(key == uuid.uuidString.lowercased())
            #expect(uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 0b10)
            seen.insert(key)
        }
        #expect(seen.count == 1_000)
    }

    @Test func allAttemptsOfACallHaveTheSameKey() throws {
        let keys = Locked<[String?]>([])
        let service: Service<HTTPRequest, Int> = stack(
            .idempotencyKey(random: random),
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), random: random),
            over: { request in
                keys.withLock { $0.append(request.context.idempotencyKey) }
                return Future(error: HTTPError(code: .connectionLost))
            })
        for _ in 0..<2 { _ = service(HTTPRequest(.post, url)) }
        let seen = keys.withLock { $0 }
        #expect(seen.count == 6 && Set(seen).count == 2 && !seen.contains(nil))
        #expect(seen[0] == seen[1] && seen[1] == seen[2])
    }

    @Test func aKeyAddedBeneathARetryAllowsNoRetry() throws {
        let calls = Locked(0)
        let service: Service<HTTPRequest, Int> = stack(
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), random: random),
            .idempotencyKey(random: random),
            over: { _ in
                calls.withLock { $0 += 1 }
                return Future(error: HTTPError(code: .connectionLost))
            })
        _ = service(HTTPRequest(.post, url))
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func idempotencyKeysMayBeYourOwn() throws {
        let service = stack(
            .idempotencyKey { request in "for \(request.method)" },
            over: { (request: HTTPRequest) in Future(value: request.context.idempotencyKey) })
        #expect(try service(HTTPRequest(.post, url)).result?.get() == "for POST")
    }

    /// With a second key, a server could not recognise the repeated request, whatever a retry beneath does.
    @Test func whatRepeatsFromAboveSendsNoSecondKey() {
        let scheduler = ManualScheduler()
        let policies: [Middleware<HTTPRequest, Int>] = [
            .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            .hedge(sharing: Hedge(after: .milliseconds(1), maxExtraLoad: 1, on: scheduler)),
        ]
        for policy in policies {
            let keys = Locked<Set<String>>([])
            let codes = Locked([HTTPError.Code.connectionLost, .connectionLost, .cannotConnect])
            let service = stack(
                policy, .idempotencyKey(random: random),
                .retry(Retry(backoff: .constant(.zero)), on: scheduler),
                over: { (request: HTTPRequest) -> Future<Int> in
                    _ = keys.withLock { $0.insert(request.context.idempotencyKey ?? "none") }
                    return CallContext.current.exchange(request) {
                        Future<Void>(value: ()).delay(.milliseconds(5), on: scheduler).map {
                            throw HTTPError(
                                code: codes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                                    ?? .badResponse)
                        }
                    }
                })
            let call = service(HTTPRequest(.post, url))
            scheduler.run()
            #expect(call.errorNow != nil)
            #expect(keys.withLock { $0.count } == 1)
        }
    }
}
