import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching

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

    @Test func whoLeavesLeavesTheOthers() throws {
        let (bench, gate) = try bench(.init(status: 304))
        let (first, second) = (bench.send(), bench.send())
        first.cancel()
        gate.resolve()
        #expect(texts([second]) == ["1"] && bench.requests.count == 2)
    }

    @Test func theLastToLeaveCancels() throws {
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

    @Test func aFailureReachesAll() throws {
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
