import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// Callers with the same request at the same time, while nothing is stored.
@Suite struct CacheJoiningTests {
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=10"]

    /// A bench whose origin does not answer before the gate opens.
    private func bench(
        _ first: HTTPHeaders, then: CacheBench.Reply = .init(), coalescesMisses: Bool = true,
        name: String? = nil
    ) -> (CacheBench, gate: Promise<Void>) {
        let bench = CacheBench(name: name, coalescesMisses: coalescesMisses)
        let gate = Promise<Void>()
        bench.answers(.init(headers: first, gate: gate), then)
        return (bench, gate)
    }

    private func texts(_ calls: [Future<HTTPResponse>]) -> [String?] {
        calls.map { $0.valueNow?.text }
    }

    @Test func coldMissesGoOutOnce() {
        let (bench, gate) = bench(fresh, name: "app")
        let calls = (1...5).map { _ in bench.send() }
        #expect(bench.requests.count == 1)
        gate.resolve()
        #expect(texts(calls) == Array(repeating: "1", count: 5) && bench.requests.count == 1)
        #expect(bench.cache.statistics.misses == 1 && bench.cache.statistics.hits == 4)
        #expect(
            calls.map { $0.valueNow?.headers["Cache-Status"] }
                == ["app; fwd=uri-miss; stored"]
                + Array(repeating: "app; fwd=uri-miss; collapsed", count: 4))
    }

    @Test func theSwitchSendsEach() {
        let (bench, gate) = bench(fresh, coalescesMisses: false)
        let calls = [bench.send(), bench.send()]
        #expect(bench.requests.count == 2)
        gate.resolve()
        #expect(texts(calls) == ["1", "2"])
    }

    @Test(
        arguments: [
            ["Cache-Control": "no-store"], ["Cache-Control": "max-age=10", "Vary": "*"],
        ] as [HTTPHeaders])
    func whatMayNotBeSharedServesOne(headers: HTTPHeaders) {
        let (bench, gate) = bench(headers, then: .init(headers: headers))
        let calls = (1...3).map { _ in bench.send() }
        gate.resolve()
        #expect(texts(calls) == ["1", "2", "3"])
    }

    @Test func whatMustBeConfirmedIsConfirmedForTheOthers() {
        let (bench, gate) = bench(
            ["Cache-Control": "no-cache", "ETag": "\"a\""],
            then: .init(status: 304, headers: ["ETag": "\"a\""]))
        let calls = (1...3).map { _ in bench.send() }
        gate.resolve()
        #expect(texts(calls) == ["1", "1", "1"])
        #expect(bench.requests.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"a\"" })
    }

    @Test func otherRequestsDoNotWait() throws {
        let (bench, gate) = bench(["Cache-Control": "max-age=10", "Vary": "Foo"])
        let first = bench.send()
        for (number, headers) in [
            ["Foo": "1"], ["Range": "bytes=0-0"], ["Cache-Control": "no-cache"],
            ["Cache-Control": "no-store"], ["Authorization": "Bearer t"],
        ].enumerated() {
            #expect(try bench.get(HTTPHeaders(headers.map { ($0, $1) })) == "\(number + 2)")
        }
        gate.resolve()
        #expect(texts([first]) == ["1"])
    }

    @Test func theDeadlineOfTheFirstIsNotThatOfTheOthers() throws {
        let scheduler = ManualScheduler()
        let never = Promise<HTTPResponse>()
        // As a transport does, it ends an exchange at the deadline of its context.
        let transport: HTTPService = { _ in
            guard let deadline = CallContext.current.deadline else {
                return Future(value: HTTPResponse(status: 200, body: Data("late".utf8)))
            }
            return never.timeout(deadline.remaining, on: scheduler)
        }
        let service = stack(.cache(sharing: HTTPCache(on: scheduler)), over: transport)
        let request = HTTPRequest(at: "https://example.com/")
        let deadline = CallDeadline(after: .seconds(1), on: scheduler)
        let hasty = CallContext(deadline: deadline).run { service(request) }
        let patient = service(request)
        #expect(!hasty.isSettled && !patient.isSettled)
        scheduler.advance(by: .seconds(1))
        #expect(hasty.errorNow != nil && patient.valueNow?.text == "late")
    }

    @Test func whoLeavesLeavesTheOthersAndTheLastCancels() {
        let (bench, gate) = bench(fresh)
        let cancelled = Locked(false)
        gate.onCancel { cancelled.withLock { $0 = true } }
        let calls = (1...3).map { _ in bench.send() }
        calls[0].cancel()
        calls[1].cancel()
        #expect(!cancelled.withLock { $0 })
        calls[2].cancel()
        #expect(cancelled.withLock { $0 } && bench.cache.calls.withLock { $0.count } == 0)
        let (other, opening) = self.bench(fresh)
        let pair = [other.send(), other.send()]
        pair[0].cancel()
        opening.resolve()
        #expect(texts(pair) == [nil, "1"] && other.requests.count == 1)
    }

    @Test func whoAsksAfterAWriteDoesNotGetWhatWasBeforeIt() throws {
        let (bench, gate) = bench(fresh, then: .init(headers: fresh))
        let early = bench.send()
        try bench.ask(.post)
        let late = bench.send()
        gate.resolve()
        #expect(texts([early, late]) == ["1", "3"])
        #expect(try bench.get() == "3")
    }

    @Test func aFailureReachesAll() {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(failure: CacheBench.Lost(), gate: gate))
        let calls = [bench.send(), bench.send()]
        gate.resolve()
        #expect(calls.allSatisfy { $0.errorNow is CacheBench.Lost } && bench.requests.count == 1)
    }

    @Test func aRenewedTokenOfTheSameAccountJoins() {
        let (bench, gate) = bench(fresh)
        let refresher = TokenRefresher(AccessToken("t1"), on: bench.scheduler) { _ in
            Future(value: AccessToken("t2"))
        }
        let send = stack(
            .authorize(.bearer(from: refresher), for: .all), .cache(sharing: bench.cache),
            over: bench.origin)
        let request = HTTPRequest(at: "https://example.com/")
        let first = send(request)
        #expect(refresher.refresh().isSettled)
        let second = send(request)
        gate.resolve()
        #expect(texts([first, second]) == ["1", "1"] && bench.requests.count == 1)
    }

    @Test func aCookieIsForTheCallerWhoseRequestWasSent() {
        for isLeft in [false, true] {
            let (bench, gate) = bench(["Cache-Control": "max-age=10", "Set-Cookie": "session=1"])
            let jars = (1...3).map { _ in CookieJar() }
            let calls = jars.map { jar in
                stack(.cookies(sharing: jar), .cache(sharing: bench.cache), over: bench.origin)(
                    HTTPRequest(at: "https://example.com/"))
            }
            if isLeft { calls[0].cancel() }
            gate.resolve()
            #expect(texts(calls) == [isLeft ? nil : "1", "1", "1"] && bench.requests.count == 1)
            #expect(jars.map { $0.cookies.count } == [1, 0, 0])
        }
    }
}
