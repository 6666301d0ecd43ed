import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// RFC 5861, and RFC 9111, section 4.2.4: which stale responses are used.
@Suite struct CacheStaleTests {
    private func stored(_ control: String) -> CacheBench.Reply {
        .init(headers: ["Cache-Control": "max-age=10, \(control)", "ETag": "\"a\""])
    }

    /// The answer from a stored response so many seconds after its arrival, if the origin then fails.
    private func rescued(
        _ control: String, at seconds: Int, by failure: CacheBench.Reply,
        asking: HTTPHeaders = [:]
    ) throws -> String? {
        let bench = CacheBench()
        bench.answers(stored(control), failure)
        try bench.ask()
        bench.advance(seconds)
        return (try? bench.ask(.get, "/", asking)).flatMap { $0.status == 200 ? $0.text : nil }
    }

    @Test(arguments: [500, 502, 503, 504]) func staleIfErrorCoversErrors(status: Int) throws {
        let failure = CacheBench.Reply(status: status)
        #expect(try rescued("stale-if-error=5", at: 14, by: failure) == "1")
        #expect(try rescued("stale-if-error=5", at: 15, by: failure) == nil)
        #expect(try rescued("stale-if-error=x", at: 10, by: failure) == nil)
        #expect(try rescued("a", at: 10, by: failure) == nil)
    }

    @Test func staleIfErrorCoversAFailure() throws {
        let failure = CacheBench.Reply(failure: CacheBench.Lost())
        #expect(try rescued("stale-if-error=5", at: 14, by: failure) == "1")
        #expect(try rescued("stale-if-error=5", at: 15, by: failure) == nil)
        #expect(try rescued("a", at: 10, by: failure) == nil)
    }

    @Test(arguments: [400, 404, 429, 501]) func otherStatusesAreAnswers(status: Int) throws {
        #expect(try rescued("stale-if-error=5", at: 11, by: .init(status: status)) == nil)
    }

    @Test func theRequestsOwnWordHolds() throws {
        let failure = CacheBench.Reply(status: 503)
        let control = { (text: String) -> HTTPHeaders in ["Cache-Control": text] }
        #expect(try rescued("a", at: 14, by: failure, asking: control("stale-if-error=5")) == "1")
        #expect(try rescued("a", at: 15, by: failure, asking: control("stale-if-error=5")) == nil)
        let refused = ["stale-if-error=0", "no-cache", "max-age=5", "min-fresh=1"]
        for text in refused {
            let got = try rescued("stale-if-error=50", at: 11, by: failure, asking: control(text))
            #expect(got == nil, "\(text)")
        }
    }

    @Test func aCallThatIsGivenUpIsNotRescued() throws {
        let failure = CacheBench.Reply(failure: CancellationError())
        #expect(try rescued("stale-if-error=5", at: 11, by: failure) == nil)
        let refused = CacheBench.Reply(failure: HTTPRequest.Error.invalidURL)
        #expect(try rescued("stale-if-error=5", at: 11, by: refused) == nil)
    }

    @Test func aRescueLeavesWhatIsStored() throws {
        let bench = CacheBench()
        bench.answers(
            stored("stale-if-error=50"), .init(status: 503), .init(failure: CacheBench.Lost()),
            .init(status: 304))
        try bench.ask()
        bench.advance(11)
        for _ in 1...3 { #expect(try bench.get() == "1") }
        #expect(bench.requests.count == 4 && bench.cache.statistics.rescues == 2)
    }

    @Test func anErrorThatMayBeStoredIsNotStoredInItsPlace() throws {
        let bench = CacheBench()
        let control = "max-age=10, stale-if-error=50"
        bench.answers(
            stored("stale-if-error=50"), .init(status: 503, headers: ["Cache-Control": control]))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.get() == "1" && bench.get() == "1" && bench.requests.count == 3)
        bench.advance(60)
        #expect(try bench.get() == "4" && bench.get() == "4")
    }

    @Test func staleWhileRevalidateAnswersAtOnceAndAsks() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(
            stored("stale-while-revalidate=5"),
            .init(headers: ["Cache-Control": "max-age=10"], gate: gate))
        try bench.ask()
        bench.advance(14)
        for _ in 1...3 { #expect(try bench.get() == "1") }
        #expect(bench.requests.count == 2 && bench.last?.headers["If-None-Match"] == "\"a\"")
        gate.resolve()
        #expect(try bench.get() == "2" && bench.requests.count == 2)
    }

    @Test func oneRevalidationIsUnderWayAtATime() throws {
        let bench = CacheBench()
        let notes = Locked(0)
        let observer = ServiceObserver { event in
            if case .note("revalidating") = event.kind { notes.withLock { $0 += 1 } }
        }
        let service = stack(
            .observed(by: observer, on: bench.scheduler), .cache(sharing: bench.cache),
            over: bench.origin)
        bench.answers(stored("stale-while-revalidate=5"), .init(gate: Promise<Void>()))
        try bench.ask()
        bench.advance(11)
        for _ in 1...3 { _ = service(HTTPRequest(.get, URL(string: "https://example.com/")!)) }
        #expect(notes.withLock { $0 } == 1)
    }

    @Test func theWindowEnds() throws {
        let bench = CacheBench()
        bench.answers(stored("stale-while-revalidate=5"))
        try bench.ask()
        bench.advance(15)
        #expect(try bench.get() == "2")
    }

    @Test(arguments: ["no-cache", "max-age=100", "min-fresh=1"])
    func whoRefusesStaleWaits(control: String) throws {
        let bench = CacheBench()
        bench.answers(stored("stale-while-revalidate=50"))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.get(["Cache-Control": control]) == "2")
    }

    @Test func aFailedRevalidationLeavesWhatIsStored() throws {
        let bench = CacheBench()
        bench.answers(
            stored("stale-while-revalidate=50"), .init(failure: CacheBench.Lost()),
            .init(status: 500), .init(status: 304))
        try bench.ask()
        bench.advance(11)
        for _ in 1...4 { #expect(try bench.get() == "1") }
        // After each failed attempt there was another; the last attempt confirmed the response.
        #expect(bench.requests.count == 4)
        #expect(bench.cache.background.withLock { $0.isEmpty })
    }

    @Test func theCallerLeavesTheRevalidationAlone() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(
            stored("stale-while-revalidate=50"),
            .init(headers: ["Cache-Control": "max-age=10"], gate: gate))
        try bench.ask()
        bench.advance(11)
        var call: Future<HTTPResponse>? = bench.send()
        call?.cancel()
        call = nil
        #expect(gate.result == nil)
        gate.resolve()
        #expect(try bench.get() == "2" && bench.requests.count == 2)
    }

    @Test func theRevalidationHasADeadlineOfItsOwn() throws {
        let bench = CacheBench()
        let deadlines = Locked<[Duration?]>([])
        let service = stack(
            .deadline(.seconds(1), on: bench.scheduler), .cache(sharing: bench.cache),
            over: { [origin = bench.origin] request in
                deadlines.withLock { $0.append(CallContext.current.remaining) }
                return origin(request)
            })
        bench.answers(stored("stale-while-revalidate=50"), .init(gate: Promise<Void>()))
        let request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        _ = service(request)
        bench.advance(11)
        _ = service(request)
        #expect(deadlines.withLock { $0 } == [.seconds(1), .seconds(60)])
        #expect(bench.cache.background.withLock { $0.count } == 1)
        bench.advance(60)
        #expect(bench.cache.background.withLock { $0.isEmpty })
    }

    /// The caller gets the stored response, or another answer, and the jar the cookies of this one.
    @Test(
        arguments: [
            ("stale-if-error=9", .init(status: 503, headers: ["Set-Cookie": "a=1"])),
            (
                "stale-if-error=9",
                .init(
                    failure: HTTPError(
                        code: .connectionLost,
                        response: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"])))
            ),
            (
                "stale-while-revalidate=9",
                .init(status: 304, headers: ["ETag": "\"a\"", "Set-Cookie": "a=1"])
            ),
            ("x", .init(status: 304, headers: ["ETag": "\"b\"", "Set-Cookie": "a=1"])),
        ] as [(String, CacheBench.Reply)])
    func theJarKeepsTheCookiesOfAnAnswerThatIsReplaced(
        control: String, reply: CacheBench.Reply
    ) throws {
        let (bench, jar) = (CacheBench(), CookieJar())
        bench.answers(stored(control), reply, .init())
        let send = stack(.cookies(sharing: jar), .cache(sharing: bench.cache), over: bench.origin)
        let request = HTTPRequest(at: "https://example.com/")
        for _ in 1...2 {
            #expect(send(request).valueNow?.status == 200)
            bench.advance(11)
        }
        #expect(jar.cookies.map(\.name) == ["a"])
    }
}
