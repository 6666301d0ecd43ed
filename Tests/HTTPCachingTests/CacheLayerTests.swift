import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
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

    @Test func eachMissIsSentByItselfIfMissesAreNotCoalesced() {
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

    @Test func aFailureReachesAllWhoShareAMiss() {
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

/// Callers that request the same stale response at the same time.
@Suite struct CacheSharingTests {
    private let stale: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\""]

    /// A bench with a stale response, whose origin does not answer before the gate opens.
    private func bench(
        _ next: CacheBench.Reply, then: CacheBench.Reply = .init(), stored: HTTPHeaders? = nil
    ) throws -> (CacheBench, gate: Promise<Void>) {
        let bench = CacheBench()
        let gate = Promise<Void>()
        var next = next
        next.gate = gate
        bench.answers(.init(headers: stored ?? stale), next, then)
        try bench.ask()
        bench.advance(10)
        return (bench, gate)
    }

    private func texts(_ calls: [Future<HTTPResponse>]) -> [String?] {
        calls.map { try? $0.result?.get().text }
    }

    #if os(Linux) || os(macOS)
    /// In a process of its own, since the reports belong to the whole process.
    @Test func aMissThatTakesLongIsNotReported() async {
        await #expect(processExitsWith: .success) {
            let reports = Locked<[String]>([])
            FutureDiagnostics.send { report in reports.withLock { $0.append(report) } }
            FutureDiagnostics.awaitingLimit = .milliseconds(1)
            let origin = Promise<HTTPResponse>()
            let send = stack(.cache(), over: { _ in origin })
            let request = HTTPRequest(.get, URL(string: "https://a.example")!)
            for _ in 0..<2 { Task { try await send(request).value } }
            for line in 1...20 as ClosedRange<UInt> {
                let last = Promise<Int>(fileID: "Test/Last.swift", line: line)
                Task { try await last.value }
                let cameTrue = await comesTrue {
                    reports.withLock { $0.contains { $0.contains("Last.swift:\(line),") } }
                }
                precondition(cameTrue, "the last one is reported")
                last.resolve(with: 1)
            }
            let others = reports.withLock { $0.filter { !$0.contains("Last.swift") } }
            precondition(others.isEmpty, "\(others)")
        }
    }
    #endif

    @Test func oneQuestionServesAll() throws {
        let (bench, gate) = try bench(.init(status: 304, headers: ["ETag": "\"a\""]))
        let calls = (1...5).map { _ in bench.send() }
        #expect(bench.requests.count == 2 && texts(calls) == Array(repeating: nil, count: 5))
        gate.resolve()
        #expect(texts(calls) == Array(repeating: "1", count: 5))
        #expect(try bench.get() == "1" && bench.requests.count == 2)
        #expect(bench.cache.statistics.confirmations == 5)
    }

    @Test func anotherAnswerServesAllWhomItFits() throws {
        let (bench, gate) = try bench(
            .init(headers: ["Cache-Control": "max-age=10", "Vary": "Foo"]))
        let calls = [bench.send(), bench.send(), bench.send(.get, "/", ["Foo": "1"])]
        gate.resolve()
        #expect(texts(calls) == ["2", "2", "3"] && bench.requests.count == 3)
    }

    @Test func anAnswerThatMayNotBeStoredServesOne() throws {
        let (bench, gate) = try bench(
            .init(headers: ["Cache-Control": "no-store"]),
            then: .init(headers: ["Cache-Control": "no-store"]))
        let calls = (1...3).map { _ in bench.send() }
        gate.resolve()
        #expect(Set(texts(calls)) == ["2", "3", "4"] && bench.requests.count == 4)
    }

    @Test func whoAsksWithNoCacheSharesNothing() throws {
        let (bench, gate) = try bench(.init(status: 304))
        let first = bench.send()
        #expect(try bench.get(["Cache-Control": "no-cache"]) == "3")
        gate.resolve()
        #expect(texts([first]) == ["1"])
    }

    @Test func aCallerWhoLeavesLeavesTheOthersTheirAnswer() throws {
        let (bench, gate) = try bench(.init(status: 304))
        let (first, second) = (bench.send(), bench.send())
        first.cancel()
        gate.resolve()
        #expect(texts([second]) == ["1"] && bench.requests.count == 2)
    }

    @Test func theLastCallerToLeaveCancelsTheQuestion() throws {
        let (bench, gate) = try bench(.init(status: 304))
        let cancelled = Locked(false)
        gate.onCancel { cancelled.withLock { $0 = true } }
        let (first, second) = (bench.send(), bench.send())
        first.cancel()
        #expect(!cancelled.withLock { $0 })
        second.cancel()
        #expect(cancelled.withLock { $0 })
        #expect(bench.cache.calls.withLock { $0.count } == 0)
    }

    @Test func aFailureReachesAllWhoShareAQuestion() throws {
        let (bench, gate) = try bench(.init(failure: CacheBench.Lost()))
        let calls = (1...3).map { _ in bench.send() }
        gate.resolve()
        for call in calls {
            #expect(throws: CacheBench.Lost.self) { try #require(call.result).get() }
        }
        #expect(bench.requests.count == 2)
    }

    @Test func eachIsRescuedByItsOwnRules() throws {
        let (bench, gate) = try bench(.init(status: 503), then: .init(status: 503, body: "busy"))
        let calls = ["max-stale=0", "stale-if-error=50", "stale-if-error=0"].map {
            bench.send(.get, "/", ["Cache-Control": $0])
        }
        gate.resolve()
        #expect(texts(calls) == ["2", "1", "busy"])
    }

    @Test func theTimeOfOneIsNotThatOfOthers() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: stale), .init(gate: Promise<Void>()), .init(status: 304))
        let service = stack(
            .cache(sharing: bench.cache), .deadline(.seconds(60), on: bench.scheduler),
            over: bench.origin)
        let request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        _ = service(request)
        bench.advance(10)
        let hasty = CallContext(deadline: CallDeadline(after: .seconds(1), on: bench.scheduler))
        let calls = [hasty.run { service(request) }, service(request)]
        bench.advance(1)
        #expect(texts(calls) == [nil, "1"])
    }

    // MARK: Cookies

    private func send(_ jars: [CookieJar], _ bench: CacheBench) -> [Future<HTTPResponse>] {
        jars.map { jar in
            let send = stack(
                .cookies(sharing: jar), .cache(sharing: bench.cache), over: bench.origin)
            return send(HTTPRequest(.get, URL(string: "https://example.com/")!))
        }
    }

    private let session = CacheBench.Reply(
        status: 304, headers: ["ETag": "\"a\"", "Set-Cookie": "session=1"])

    /// The site gives each visitor a session.
    @Test func aCookieOfA304IsForTheCallerWhoseRequestWasSent() throws {
        let (bench, gate) = try bench(session)
        let jars = (1...3).map { _ in CookieJar() }
        let calls = send(jars, bench)
        gate.resolve()
        #expect(texts(calls) == ["1", "1", "1"] && bench.requests.count == 2)
        #expect(
            calls.map { $0.valueNow?.headers.values(for: "Set-Cookie") } == [["session=1"], [], []])
        #expect(jars.map { $0.cookies.count } == [1, 0, 0])
    }

    @Test func theCookieOfACallerThatHasLeftIsForItsJar() throws {
        let (bench, gate) = try bench(session)
        let jars = (1...2).map { _ in CookieJar() }
        let calls = send(jars, bench)
        calls[0].cancel()
        gate.resolve()
        #expect(texts(calls) == [nil, "1"])
        #expect(jars.map { $0.cookies.count } == [1, 0])
    }
}

/// RFC 9111, section 4.4: which responses an unsafe method invalidates.
@Suite struct CacheInvalidationTests {
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=1000"]

    /// Whether a GET of a path is sent again after another method had this answer.
    private func forgets(
        _ path: String = "/a", after method: HTTPMethod = .post, status: Int = 200,
        _ headers: HTTPHeaders = [:], failure: (any Error)? = nil
    ) throws -> Bool {
        let bench = CacheBench()
        bench.answers(
            .init(headers: fresh), .init(status: status, headers: headers, failure: failure),
            .init(headers: fresh))
        try bench.ask(.get, path)
        _ = bench.send(method, "/a")
        return try bench.get([:], path) == "3"
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch, "M-SEARCH", "FOO", "get"])
    func aMethodThatIsNotSafeForgetsItsURL(method: HTTPMethod) throws {
        #expect(try forgets(after: method))
    }

    @Test(arguments: [HTTPMethod.head, .options, .trace, .query])
    func aSafeMethodForgetsNoURL(method: HTTPMethod) throws { #expect(try !forgets(after: method)) }

    @Test(arguments: [200, 201, 204, 301, 303, 399]) func aResponseThatIsNoErrorForgetsItsURL(
        status: Int
    ) throws {
        #expect(try forgets(status: status))
    }

    @Test(arguments: [400, 404, 409, 500, 503]) func aResponseThatIsAnErrorForgetsNothing(
        status: Int
    ) throws {
        let location: HTTPHeaders = ["Location": "/b"]
        #expect(try !forgets(status: status))
        #expect(try !forgets("/b", status: status, location))
    }

    @Test func whereNobodyKnowsWhatHappenedItForgets() throws {
        #expect(try forgets(failure: CacheBench.Lost()))
        #expect(try !forgets("/b", failure: CacheBench.Lost()))
    }

    @Test func anUnsafeMethodForgetsNoOtherURL() throws { #expect(try !forgets("/b")) }

    @Test(arguments: ["Location", "Content-Location"])
    func whatTheAnswerNamesIsForgotten(name: String) throws {
        for place in [
            "/b", "b", "https://example.com/b", "https://EXAMPLE.com:443/b#c", "//example.com/b",
        ] {
            #expect(try forgets("/b", [name: place]), "\(place)")
        }
    }

    @Test(arguments: ["Location", "Content-Location"])
    func anotherOriginIsLeftAlone(name: String) throws {
        let bench = CacheBench()
        bench.answers(.init(headers: fresh), .init(headers: [name: "https://example.org/b"]))
        let other = HTTPRequest(.get, URL(string: "https://example.org/b")!)
        _ = bench.service(other)
        _ = bench.send(.post, "/a")
        _ = bench.service(other)
        #expect(bench.requests.count == 2)
        #expect(try !forgets("/b", [name: "http://example.com/b"]))
        #expect(try !forgets("/b", [name: "https://example.com:444/b"]))
    }

    @Test func allVariantsAreForgotten() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "Vary": "Foo"])
        _ = try [bench.get(["Foo": "1"]), bench.get(["Foo": "2"])]
        try bench.ask(.post)
        #expect(try bench.get(["Foo": "1"]) == "4" && bench.get(["Foo": "2"]) == "5")
    }

    @Test func theAnswerToPostIsNotStoredAndReachesTheOrigin() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=1000", "Content-Location": "/"])
        try bench.ask()
        #expect(try bench.ask(.post).text == "2" && bench.ask(.post).text == "3")
        #expect(try bench.get() == "4")
    }

    @Test func whatWasUnderWayIsNotStored() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(), .init(headers: fresh))
        let slow = bench.send()
        try bench.ask(.post)
        gate.resolve()
        #expect(try slow.result?.get().text == "1")
        #expect(try bench.get() == "3" && bench.get() == "3")
        #expect(bench.cache.calls.withLock { $0.count } == 0)
    }

    @Test func aCallThatIsGivenUpForgetsToo() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh), .init(gate: gate), .init(headers: fresh))
        try bench.ask()
        bench.send(.post, "/").cancel()
        #expect(try bench.get() == "3")
    }

    @Test func removeForgetsAURLAndClearForgetsAll() throws {
        let bench = CacheBench()
        bench.answers(fresh)
        _ = try [bench.get([:], "/a"), bench.get([:], "/b")]
        bench.cache.remove(URL(string: "HTTPS://example.com:443/a#x")!)
        #expect(try bench.get([:], "/a") == "3" && bench.get([:], "/b") == "2")
        bench.cache.clear()
        #expect(bench.store.currentUsage == CacheUsage(count: 0, bytes: 0))
        #expect(try bench.get([:], "/b") == "4")
    }

    @Test func clearKeepsOutWhatIsUnderWay() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(headers: fresh))
        let slow = bench.send()
        bench.cache.clear()
        gate.resolve()
        #expect(try slow.result?.get().text == "1" && bench.get() == "2")
    }

    @Test func theAnswerOfAnEarlierCallDoesNotReplaceThatOfALater() throws {
        let bench = CacheBench(coalescesMisses: false)
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(headers: fresh))
        let slow = bench.send()
        #expect(try bench.get() == "2")
        gate.resolve()
        #expect(try slow.result?.get().text == "1" && bench.get() == "2")
        #expect(bench.store.currentUsage.count == 1)
    }
}
