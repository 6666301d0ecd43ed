import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct RedirectTests {
    @Test func followsToTheEnd() throws {
        let server = ScriptedServer([
            .redirect(301, to: "/2"), .redirect(308, to: "https://b/3?x=%2F"),
            HTTPResponse(status: 200, body: Data("arrived".utf8)),
        ])
        let send = stack(.redirect(), over: server.send)
        let response = try #require(send(HTTPRequest(at: "https://a/1")).valueNow)
        #expect(response.text == "arrived")
        #expect(response.url?.absoluteString == "https://b/3?x=%2F")
        let urls = server.requests.map(\.url.absoluteString)
        #expect(urls == ["https://a/1", "https://a/2", "https://b/3?x=%2F"])
        #expect(server.requests.allSatisfy { $0.headers["Referer"] == nil })
    }

    @Test func theURLThatTheTransportNamesStays() {
        let url = URL(string: "https://proxy/x")
        let server = ScriptedServer([HTTPResponse(status: 200, url: url)])
        let send = stack(.redirect(), over: server.send)
        #expect(send(HTTPRequest(at: "https://a/1")).valueNow?.url == url)
    }

    @Test func whatCannotBeFollowedIsGivenBack() throws {
        let server = ScriptedServer([.redirect(to: "app://done?code=1", "go on in the app")])
        let send = stack(.redirect(), over: server.send)
        let response = try #require(send(HTTPRequest(at: "https://a/1")).valueNow)
        #expect(response.status == 302)
        #expect(response.text == "go on in the app")
        #expect(response.headers["Location"] == "app://done?code=1")
    }

    @Test func aCircleFailsAndKeepsWhatWasKnown() throws {
        let server = ScriptedServer { _ in .redirect(to: "/1", "round") }
        let send = stack(.redirect(), over: server.send)
        let error = try #require(send(HTTPRequest(at: "https://a/1")).errorNow as? HTTPError)
        #expect(error.code == .tooManyRedirects)
        #expect(error.request == HTTPRequest(at: "https://a/1"))
        #expect(error.status == 302)
        #expect(error.body == Data("round".utf8))
        #expect(server.requests.count == 1)
    }

    @Test func aStreamedCircleKeepsItsBodyToo() throws {
        let server = ScriptedServer { _ in .redirect(to: "/1", "round") }
        let send = stack(.redirect(), over: server.stream())
        let error = try #require(send(HTTPRequest(at: "https://a/1")).errorNow as? HTTPError)
        #expect(error.body == Data("round".utf8))
    }

    @Test func aStreamedBodyIsDiscardedBeforeTheNextRequest() throws {
        let log = Locked<[String]>([])
        let server = ScriptedServer { request in
            log.withLock { $0.append(request.url.path) }
            return request.url.path == "/1"
                ? .redirect(to: "/2", "unread") : HTTPResponse(status: 200, body: Data("end".utf8))
        }
        let send = stack(
            .redirect(), over: server.stream { status in log.withLock { $0.append("\(status)") } })
        let response = try #require(send(HTTPRequest(at: "https://a/1")).valueNow)
        #expect(log.withLock { $0 } == ["/1", "302", "/2"])
        #expect(response.collected(upTo: 9).valueNow?.text == "end")
    }

    @Test func cancellingCancelsTheCallUnderWay() {
        let second = Promise<HTTPResponse>()
        let cancelled = Locked(false)
        second.onCancel { cancelled.withLock { $0 = true } }
        let server = ScriptedServer(later: { request in
            request.url.path == "/1" ? Future(value: .redirect(to: "/2")) : second
        })
        let future = stack(.redirect(), over: server.send)(HTTPRequest(at: "https://a/1"))
        #expect(server.requests.count == 2)
        future.cancel()
        #expect(cancelled.withLock { $0 })
        #expect(future.errorNow is CancellationError)
    }

    @Test func laterRequestsAreMadeInTheCallersContext() {
        let scheduler = ManualScheduler()
        let left = Locked<[Duration?]>([])
        let server = ScriptedServer(later: { request in
            left.withLock { $0.append(CallContext.current.remaining) }
            return Future(
                value: request.url.path == "/1" ? .redirect(to: "/2") : .init(status: 200)
            )
            .delay(.seconds(1), on: scheduler)
        })
        let send = stack(
            .deadline(.seconds(10), on: scheduler), .redirect(), over: server.send)
        let future = send(HTTPRequest(at: "https://a/1"))
        scheduler.run()
        #expect(future.valueNow?.status == 200)
        #expect(left.withLock { $0 } == [.seconds(10), .seconds(9)])
    }

    /// The function beneath writes no marks into the attempt's record.
    @Test(arguments: [301, 302, 303])
    func whatAnswersAPostWithARedirectHasProcessedIt(status: Int) {
        let posts = Locked(0)
        let send = stack(
            .retry(backoff: .constant(.zero)), .redirect(),
            over: { (request: HTTPRequest) -> Future<HTTPResponse> in
                guard request.method == .post else {
                    return Future(error: HTTPError(code: .connectionLost, request: request))
                }
                posts.withLock { $0 += 1 }
                return Future(value: .redirect(status, to: "/done"))
            })
        let future = send(HTTPRequest(.post, URL(string: "https://a/orders")!))
        #expect(future.failureCode == .connectionLost)
        #expect(posts.withLock { $0 } == 1)
    }

    @Test func aLongChainTakesNoStack() {
        let server = ScriptedServer { request in
            .redirect(to: "/\((Int(request.url.lastPathComponent) ?? 0) + 1)")
        }
        let send = stack(.redirect(limit: 2_000), over: server.send)
        let error = send(HTTPRequest(at: "https://a/0")).errorNow as? HTTPError
        #expect(error?.code == .tooManyRedirects)
        #expect(server.requests.count == 2_001)
    }

    @Test func observersHearOfItWithoutSecrets() {
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let server = ScriptedServer([
            .redirect(to: "https://u:secret@b/x?token=secret"), .redirect(to: "app://secret"),
        ])
        let send = stack(.observed(by: observer), .redirect(), over: server.send)
        _ = send(HTTPRequest(at: "https://a/1"))
        let told = notes.withLock { $0 }
        #expect(
            told == [
                "302 to https://b:443",
                "302 not followed: its Location is no http or https URL",
            ])
    }
}
