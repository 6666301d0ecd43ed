import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@Suite struct TokenRefreshTests {
    private struct Broken: Error {}
    private let fixture = TokenFixture()

    @Test func aThousandRefusedRequestsShareOneRefresh() {
        let fixture = TokenFixture(AccessToken("t1", lifetime: .seconds(3_600)))
        // The server's clock is ahead: it refuses all requests before the token expires on this side.
        fixture.expect("t2")
        let slow: HTTPService = { request in
            Future(value: ()).delay(.milliseconds(20), on: fixture.scheduler)
                .flatMap { fixture.server.send(request) }
        }
        let send = fixture.send(over: slow)
        let all = (0..<1_000).map { send(TokenFixture.request("/\($0)")) }
        fixture.scheduler.advance(by: .milliseconds(20))
        #expect(fixture.begun == 1)
        #expect(fixture.sent == Array(repeating: "Bearer t1", count: 1_000))
        fixture.end(with: AccessToken("t2"))
        fixture.scheduler.advance(by: .milliseconds(20))
        #expect(all.allSatisfy { $0.valueNow?.status == 200 })
        #expect(fixture.begun == 1)
        #expect(fixture.sent.dropFirst(1_000) == Array(repeating: "Bearer t2", count: 1_000)[...])
        let paths = fixture.server.requests.suffix(1_000).map(\.url.path)
        #expect(paths == (0..<1_000).map { "/\($0)" })
        #expect(fixture.told == ["t2"])
        #expect(fixture.scheduler.isIdle)
    }

    @Test(arguments: ["t\u{7F}", "t\r\nX: y", "t\u{FFFD}"])
    func aTokenThatNoRequestMayHoldIsLeftOut(value: String) {
        let fixture = TokenFixture(AccessToken(value))
        fixture.expect("t2")
        let first = fixture.send(TokenFixture.request())
        #expect(fixture.sent == [nil] && fixture.begun == 1)
        fixture.end(with: AccessToken("t2"))
        #expect(first.valueNow?.status == 200)
        #expect(fixture.send(TokenFixture.request()).valueNow?.status == 200)
        #expect(fixture.sent == [nil, "Bearer t2", "Bearer t2"] && fixture.begun == 1)
    }

    @Test func aNewTokenThatNoRequestMayHoldEndsNoLaterCall() {
        fixture.expect("t3")
        let first = fixture.send(TokenFixture.request())
        fixture.end(with: AccessToken("t2\u{0}"))
        #expect(first.valueNow?.status == 401)
        fixture.scheduler.advance(by: .seconds(60))
        let second = fixture.send(TokenFixture.request())
        fixture.end(with: AccessToken("t3"))
        #expect(second.valueNow?.status == 200)
        #expect(fixture.sent == ["Bearer t1", nil, nil, "Bearer t3"])
    }

    @Test func aTokenExpiresWhileTheDeviceSleeps() {
        let fixture = TokenFixture(AccessToken("t1", lifetime: .seconds(3_600)))
        fixture.expect("t2")
        fixture.scheduler.advanceAsleep(by: .seconds(3_600))
        let morning = fixture.send(TokenFixture.request())
        #expect(fixture.begun == 1)
        #expect(fixture.sent == [])
        fixture.end(with: AccessToken("t2", lifetime: .seconds(3_600)))
        #expect(morning.valueNow?.status == 200)
        #expect(fixture.sent == ["Bearer t2"])
    }

    @Test func aSecondRefusalIsGivenBack() {
        fixture.expect("t3")
        let future = fixture.send(TokenFixture.request())
        fixture.end(with: AccessToken("t2"))
        #expect(future.valueNow?.status == 401)
        #expect(fixture.sent == ["Bearer t1", "Bearer t2"])
        #expect(fixture.begun == 1)
    }

    @Test func anOlderTokensRefusalIsSentAgainAtOnce() {
        let slow = Promise<HTTPResponse>()
        let send = fixture.send(
            over: { request in
                request.url.path == "/slow" && fixture.begun == 0
                    ? slow : fixture.server.send(request)
            })
        let late = send(TokenFixture.request("/slow"))
        fixture.expect("t2")
        let prompt = send(TokenFixture.request())
        fixture.end(with: AccessToken("t2"))
        #expect(prompt.valueNow?.status == 200)
        slow.resolve(with: HTTPResponse(status: 401))
        #expect(late.valueNow?.status == 200)
        #expect(fixture.begun == 1)
    }

    @Test func theBodyOfAnOlderTokensRefusalIsGivenUp() {
        let log = Locked<[Int]>([])
        let late = Promise<HTTPResponse>()
        let server = ScriptedServer(later: { request in
            request.headers["Authorization"] == "Bearer t1"
                ? late : Future(value: HTTPResponse(status: 200))
        })
        let stream = server.stream { status in log.withLock { $0.append(status) } }
        let future = fixture.send(over: stream)(TokenFixture.request())
        let renewed = fixture.refresher.refresh()
        fixture.end(with: AccessToken("t2"))
        #expect(renewed.valueNow?.value == "t2")
        late.resolve(with: HTTPResponse(status: 401, body: Data("unread".utf8)))
        #expect(future.valueNow?.status == 200)
        #expect(log.withLock { $0 } == [401])
    }

    @Test func aPostIsSentAgainWithItsBody() {
        fixture.expect("t2")
        var request = HTTPRequest(.post, at: "https://api.example.com/orders")
        request.body = .data(Data("order".utf8))
        let future = fixture.send(request)
        fixture.end(with: AccessToken("t2"))
        #expect(future.valueNow?.status == 200)
        #expect(fixture.server.requests.map(\.body) == [request.body, request.body])
    }

    @Test func aFailedRefreshFailsAllAndTheNextTriesAgain() throws {
        fixture.expect("t2")
        let all = (0..<3).map { fixture.send(TokenFixture.request("/\($0)")) }
        fixture.fail(with: Broken())
        // The first request was refused; the others found the token refused, and were not sent.
        for (index, future) in all.enumerated() {
            let error = try #require(future.errorNow as? HTTPError)
            #expect(error.code == .tokenRefreshFailed)
            #expect(error.cause is Broken)
            #expect(error.request?.url == TokenFixture.request("/\(index)").url)
            #expect(error.request?.headers["Authorization"] == (index == 0 ? "Bearer t1" : nil))
            #expect(error.status == (index == 0 ? 401 : nil))
        }
        let next = fixture.send(TokenFixture.request())
        #expect(fixture.begun == 2)
        fixture.end(with: AccessToken("t2"))
        #expect(next.valueNow?.status == 200)
    }

    @Test func aBodyThatIsSentOnceIsNotSentAgain() {
        fixture.expect("t2")
        let upload = fixture.send(TokenFixture.request(once: true))
        #expect(upload.valueNow?.status == 401)
        #expect(fixture.begun == 0)
        let next = fixture.send(TokenFixture.request(once: true))
        #expect(fixture.begun == 1)
        #expect(fixture.sent.count == 1)
        fixture.end(with: AccessToken("t2"))
        #expect(next.valueNow?.status == 200)
    }

    @Test func whoIsCancelledLeavesTheOthersAndTheRefresh() {
        fixture.expect("t2")
        let all = (0..<3).map { fixture.send(TokenFixture.request("/\($0)")) }
        all[0].cancel()
        #expect(all[0].errorNow is CancellationError)
        all[1].cancel()
        fixture.end(with: AccessToken("t2"))
        #expect(all[2].valueNow?.status == 200)
        #expect(fixture.sent == ["Bearer t1", "Bearer t2"])
    }

    @Test func theRefreshRunsToItsEndThoughAllAreCancelled() {
        fixture.expect("t2")
        let future = fixture.send(TokenFixture.request())
        future.cancel()
        fixture.end(with: AccessToken("t2"))
        #expect(fixture.refresher.token?.value == "t2")
        #expect(fixture.told == ["t2"])
    }

    @Test func cancellingCancelsTheSecondRequest() {
        let cancelled = Locked(false)
        let second = Promise<HTTPResponse>()
        second.onCancel { cancelled.withLock { $0 = true } }
        let send = fixture.send(
            over: { request in
                request.headers["Authorization"] == "Bearer t2"
                    ? second : Future(value: HTTPResponse(status: 401))
            })
        let future = send(TokenFixture.request())
        fixture.end(with: AccessToken("t2"))
        future.cancel()
        #expect(cancelled.withLock { $0 })
    }

    @Test func aRefreshThatTakesTooLongFails() throws {
        fixture.expect("t2")
        let future = fixture.send(TokenFixture.request())
        fixture.scheduler.advance(by: .seconds(29))
        #expect(future.result == nil)
        fixture.scheduler.advance(by: .seconds(1))
        let error = try #require(future.errorNow as? HTTPError)
        #expect(error.code == .tokenRefreshFailed)
        #expect((error.cause as? FutureError)?.code == .timedOut)
        #expect(error.status == 401)
    }

    @Test func anAbandonedRefreshFails() {
        let refresher = TokenRefresher(AccessToken("t1")) { _ in Promise<AccessToken>() }
        let send = stack(
            .authorize(.bearer(from: refresher), for: .all),
            over: ScriptedServer { _ in HTTPResponse(status: 401) }.send)
        let error = send(TokenFixture.request()).errorNow as? HTTPError
        #expect((error?.cause as? FutureError)?.code == .abandoned)
    }

    @Test func aTokenIsRefreshedAMinuteBeforeItsEnd() {
        let fixture = TokenFixture(AccessToken("t1", lifetime: .seconds(600)))
        fixture.scheduler.advance(by: .seconds(539))
        _ = fixture.send(TokenFixture.request())
        #expect(fixture.begun == 0)
        fixture.scheduler.advance(by: .seconds(1))
        #expect(fixture.send(TokenFixture.request()).valueNow?.status == 200)
        #expect(fixture.begun == 1)
        let upload = fixture.send(TokenFixture.request(once: true))
        #expect(upload.result == nil)
        fixture.expect("t2")
        fixture.end(with: AccessToken("t2", lifetime: .seconds(600)))
        _ = fixture.send(TokenFixture.request())
        #expect(fixture.begun == 1)
        #expect(fixture.sent == ["Bearer t1", "Bearer t1", "Bearer t2", "Bearer t2"])
    }

    @Test func aStreamed401IsReadSoThatItHoldsNoConnection() throws {
        let log = Locked<[String]>([])
        let server = ScriptedServer { request in
            let isNew = request.headers["Authorization"] == "Bearer t2"
            return HTTPResponse(status: isNew ? 200 : 401, body: Data("text".utf8))
        }
        let stream = server.stream { status in log.withLock { $0.append("\(status) given up") } }
        let renewed = fixture.send(over: stream)(TokenFixture.request())
        #expect(log.withLock { $0 } == [])
        fixture.end(with: AccessToken("t2"))
        let response = try #require(renewed.valueNow)
        #expect(response.collected(upTo: 9).valueNow?.text == "text")
        #expect(log.withLock { $0 } == [])

        let other = TokenFixture()
        let failed = other.send(over: stream)(TokenFixture.request())
        other.fail(with: Broken())
        let error = try #require(failed.errorNow as? HTTPError)
        #expect(error.body == Data("text".utf8))
    }

    // MARK: The end of a grant

    private static let invalidGrant = HTTPError(
        code: .unacceptableStatus,
        response: HTTPResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8)))

    @Test(arguments: [invalidGrant, TokenRefresher.InvalidGrant()] as [any Error])
    func onlyInvalidGrantEndsAllRefreshesUntilSomeoneSignsIn(error: any Error) throws {
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let send = stack(.observed(by: observer), over: fixture.send)
        fixture.expect("t9")
        let refused = (0..<3).map { _ in send(TokenFixture.request()) }
        fixture.fail(with: error)
        let later = (0..<3).map { _ in send(TokenFixture.request()) }
        for (index, future) in (refused + later).enumerated() {
            let error = try #require(future.errorNow as? HTTPError)
            #expect(error.code == .signInNeeded)
            #expect(error.status == (index == 0 ? 401 : nil))
        }
        #expect(fixture.begun == 1 && fixture.sent.count == 1)
        #expect((fixture.refresher.refresh().errorNow as? HTTPError)?.code == .signInNeeded)
        #expect(notes.withLock { $0.filter { $0.hasPrefix("no more refreshes") } }.count == 1)

        fixture.refresher.signIn(with: AccessToken("t9"))
        #expect(send(TokenFixture.request()).valueNow?.status == 200)
    }

    @Test(arguments: [
        HTTPError(code: .notConnected),
        HTTPError(
            code: .unacceptableStatus,
            response: HTTPResponse(status: 400, body: Data(#"{"error":"invalid_client"}"#.utf8))),
        HTTPError(
            code: .unacceptableStatus,
            response: HTTPResponse(status: 503, body: Data(#"{"error":"invalid_grant"}"#.utf8))),
    ])
    func anyOtherErrorIsTriedAgain(error: HTTPError) {
        fixture.expect("t2")
        let first = fixture.send(TokenFixture.request())
        fixture.fail(with: error)
        #expect((first.errorNow as? HTTPError)?.code == .tokenRefreshFailed)
        _ = fixture.send(TokenFixture.request())
        #expect(fixture.begun == 2)
    }

    @Test func a401ToANewTokenIsGivenBackToThatCallAlone() {
        fixture.expect("t2")
        let first = fixture.send(TokenFixture.request())
        fixture.end(with: AccessToken("t2"))
        #expect(first.valueNow?.status == 200)
        fixture.expect("nobody's")
        fixture.scheduler.advance(by: .milliseconds(9_999))
        #expect(fixture.send(TokenFixture.request()).valueNow?.status == 401)
        fixture.expect("t2")
        #expect(fixture.send(TokenFixture.request()).valueNow?.status == 200)
        #expect(fixture.begun == 1)
        fixture.expect("t3")
        fixture.scheduler.advance(by: .milliseconds(1))
        #expect(fixture.send(TokenFixture.request()).result == nil)
        #expect(fixture.begun == 2)
    }

    @Test func aRefreshIsAsImportantAsTheMostImportantCallThatWaitsForIt() {
        let contexts = Locked<[CallContext]>([])
        let answer = Promise<AccessToken>()
        let refresher = TokenRefresher(AccessToken("t1"), on: fixture.scheduler) { _ in
            contexts.withLock { $0.append(.current) }
            return answer
        }
        let priorities: [CallPriority] = [.sheddable, .critical, .sheddablePlus]
        let calls = priorities.map { priority in
            CallContext.current.with(priority: priority).run { refresher.refresh() }
        }
        #expect(contexts.withLock { $0.map(\.priority) } == [.critical])
        answer.resolve(with: AccessToken("t2"))
        #expect(calls.allSatisfy { $0.valueNow?.value == "t2" })
    }

    #if compiler(>=6.2)
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aTaskThatWaitsForARefreshRaisesItsTask() async throws {
        let work = LowWork()
        try await work.begin()
        let refresher = TokenRefresher(AccessToken("t1"), on: fixture.scheduler) { _ in
            work.future.map { AccessToken("t\($0)") }
        }
        let calls = [refresher.refresh(), refresher.refresh()]
        calls[1].raise(to: .high)
        #expect(work.raises.elements == [.high])
        work.value.resolve(with: 2)
        #expect(try await calls[0].soon.value == "t2")
    }
    #endif
}

/// Threads send, cancel and sign in, while tokens are revoked and refreshes end on other threads.
@Suite(.oneAtATime) struct TokenContentionTests {
    private let valid = Locked(0)
    private let underWay = Locked((now: 0, most: 0))
    private let told = Locked<[Int]>([])

    private func number(_ token: String?) -> Int {
        Int(token?.split(separator: "t").last ?? "") ?? -1
    }

    private func refresher(ending queue: DispatchQueue) -> TokenRefresher {
        let (valid, underWay, told) = (valid, underWay, told)
        return TokenRefresher(
            AccessToken("t0"), grace: .zero,
            onChange: { token in told.withLock { $0.append(number(token?.value)) } },
            refresh: { _ in
                underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                return Future.make { resolver in
                    queue.async {
                        let next = valid.withLock { $0 }
                        underWay.withLock { $0.now -= 1 }
                        resolver.resolve(with: AccessToken("t\(next)"))
                    }
                }
            })
    }

    @Test func oneRefreshAtATimeAndEveryRequestEnds() {
        let queue = DispatchQueue(label: "refreshes")
        let refresher = refresher(ending: queue)
        let valid = valid
        let server = DispatchQueue(label: "server", attributes: .concurrent)
        let send: HTTPService = stack(
            .authorize(.bearer(from: refresher), for: .all),
            over: { request in
                let sent = number(request.headers["Authorization"])
                return Future.make { resolver in
                    server.async {
                        let isGood = sent == valid.withLock { $0 }
                        resolver.resolve(with: HTTPResponse(status: isGood ? 200 : 401))
                    }
                }
            })
        let (ended, others) = (Locked(0), Locked<[String]>([]))
        let group = DispatchGroup()
        onThreads(4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<1_000 {
                group.enter()
                let future = send(TokenFixture.request("/\(step)"))
                future.observe { result in
                    ended.withLock { $0 += 1 }
                    switch result {
                    case .success, .failure(is CancellationError): break
                    case .failure(let error): others.withLock { $0.append("\(error)") }
                    }
                    group.leave()
                }
                switch Int.random(in: 0..<20, using: &generator) {
                case 0: valid.withLock { $0 += 1 }
                case 1..<4: future.cancel()
                default: break
                }
            }
        }
        group.wait()
        queue.sync {}
        #expect(ended.withLock { $0 } == 4_000)
        #expect(others.withLock { $0 } == [])
        #expect(underWay.withLock { $0.most } == 1)
        #expect(told.withLock { $0 } == told.withLock { $0.sorted() })
        #expect(told.withLock { $0.count } > 0)
    }

    @Test func changesAreToldInOrderOnOneThreadAtATime() {
        let told = Locked<[String?]>([])
        let inside = Locked((now: 0, most: 0))
        let refresher = TokenRefresher(
            onChange: { token in
                inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                told.withLock { $0.append(token?.value) }
                inside.withLock { $0.now -= 1 }
            },
            refresh: { _ in Future(value: AccessToken("refreshed")) })
        onThreads(4) { thread in
            for step in 0..<500 {
                switch step % 3 {
                case 0: refresher.signIn(with: AccessToken("\(thread)"))
                case 1: _ = refresher.refresh()
                default: refresher.signOut()
                }
            }
        }
        #expect(inside.withLock { $0.most } == 1)
        // The last reported change is the present token.
        #expect(told.withLock { $0.last } == .some(refresher.token?.value))
    }
}
