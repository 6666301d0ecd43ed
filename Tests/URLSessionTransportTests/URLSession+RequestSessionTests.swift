import Dispatch
import Foundation
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app's configuration of its session stays in use.
@Suite(.oneAtATime)
struct URLSessionRequestSessionTests {
    @Test func cookiesAreStoredAndSentOnARedirectToo() async throws {
        let server = try LoopbackServer { request in
            request.target == "/"
                ? .response(302, headers: ["Location": "/there", "Set-Cookie": "a=b"])
                : .text(request.header("Cookie") ?? "none")
        }
        let configuration = URLSessionConfiguration.patient
        let session = URLSession(configuration: configuration)

        let data = try await session.request(Endpoint(url: server.url)).value

        #expect(String(decoding: data, as: UTF8.self) == "a=b")
    }

    @Test func aStoredCredentialIsSent() async throws {
        let server = try guardedServer(user: "stored")
        let configuration = URLSessionConfiguration.patient
        let storage = try #require(configuration.urlCredentialStorage)
        storage.set(
            URLCredential(user: "stored", password: "secret", persistence: .forSession),
            for: URLProtectionSpace(
                host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
        let session = URLSession(configuration: configuration)

        let data = try await session.request(Endpoint(url: server.url)).value

        #expect(String(decoding: data, as: UTF8.self) == "come in")
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func theDelegateIsAskedForAPassword(method: HTTPMethod) async throws {
        let server = try guardedServer(user: "asked")
        let delegate = Answering(user: "asked")
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let body: HTTPRequest.Body = method == .get ? .none : .data(Data("question".utf8))
        let endpoint = Endpoint(path: "/", method: method, body: body, base: server.url)

        let data = try await session.request(endpoint).value

        #expect(String(decoding: data, as: UTF8.self) == "come in")
        #expect(delegate.sessions.withLock { $0 } == [ObjectIdentifier(session)])
        #expect(server.requests.last?.text == (method == .get ? "" : "question"))
    }

    @Test func aDelegateThatHasNoPasswordLeavesTheAnswer() async throws {
        let server = try guardedServer(user: "asked")
        let session = URLSession(
            configuration: .ephemeral, delegate: Answering(user: nil), delegateQueue: nil)

        let error = try await httpError(of: session.request(Endpoint(url: server.url)))

        #expect(error.status == 401)
        #expect(String(decoding: error.body, as: UTF8.self) == "who are you")
    }

    @Test func aWrongPasswordIsNotTriedForEver() async throws {
        let server = try guardedServer(user: "other")
        let delegate = Answering(user: "asked")
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)

        let error = try await httpError(of: session.request(Endpoint(url: server.url)))

        #expect(error.status == 401)
        #expect(String(decoding: error.body, as: UTF8.self) == "who are you")
        #expect(server.requests.count == 2)
    }

    @Test func protocolsOfTheSessionAnswer() async throws {
        let configuration = URLSessionConfiguration.patient
        configuration.protocolClasses = [AnsweringProtocol.self]
        let session = URLSession(configuration: configuration)

        let noHost = URL(string: "http://no-such-host.invalid")
        let data = try await session.request(Endpoint(path: "/", base: noHost)).value

        #expect(String(decoding: data, as: UTF8.self) == "from the protocol")
    }

    @Test func futuresSettleOnTheDelegateQueue() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(
            configuration: .ephemeral, delegate: nil, delegateQueue: queue)
        let seen = Promise<Bool>()

        queue.isSuspended = true
        let future = session.request(Endpoint(url: server.url))
        future.observe { _ in seen.resolve(with: OperationQueue.current === queue) }
        queue.isSuspended = false

        #expect(try await seen.value)
    }

    @Test func theIdleLimitIsTheSessionsToTheFraction() async throws {
        let never = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { _ in never })
        let configuration = URLSessionConfiguration.patient
        configuration.timeoutIntervalForRequest = 0.4
        let session = URLSession(configuration: configuration)

        let error = try await httpError(of: session.request(Endpoint(url: server.url)))

        #expect(error.code == .timedOut)
        #expect("\(error)".contains("0.4"), "\(error)")
    }

    @Test func aSessionIsReleasedWhenItsCallsHaveEnded() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        weak var session: URLSession?
        weak var delegate: Answering?
        do {
            let answering = Answering(user: nil)
            let made = URLSession(
                configuration: .ephemeral, delegate: answering, delegateQueue: nil)
            (session, delegate) = (made, answering)
            _ = try await made.request(Endpoint(url: server.url)).value
            made.finishTasksAndInvalidate()
        }

        #expect(await comesTrue { session == nil })
        #expect(await comesTrue { delegate == nil })
    }

    @Test func aSessionLivesAsLongAsItsCall() async throws {
        let server = try guardedServer(user: "asked")

        let data = try await URLSession(
            configuration: .ephemeral, delegate: Answering(user: "asked"), delegateQueue: nil
        ).request(Endpoint(url: server.url)).value

        #expect(String(decoding: data, as: UTF8.self) == "come in")
    }

    private func guardedServer(user: String) throws -> LoopbackServer {
        let secret = "Basic " + Data("\(user):secret".utf8).base64EncodedString()
        return try LoopbackServer { request in
            request.header("Authorization") == secret
                ? .text("come in")
                : .text(
                    "who are you", status: 401,
                    headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        }
    }
}

private final class Answering: NSObject, URLSessionDataDelegate, Sendable {
    let sessions = Locked([ObjectIdentifier]())
    private let user: String?

    init(user: String?) { self.user = user }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        sessions.withLock { $0.append(ObjectIdentifier(session)) }
        guard let user, challenge.previousFailureCount == 0 else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(
            .useCredential, URLCredential(user: user, password: "secret", persistence: .none))
    }
}

private final class AnsweringProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("from the protocol".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite(.oneAtATime)
struct URLSessionRequestCancelTests {
    @Test func cancellingWhileTheServerThinksHangsUp() async throws {
        let thinking = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { _ in thinking })
        let future = URLSession.patient.request(Endpoint(url: server.url))
        _ = try await server.received(1).value

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).value
    }

    @Test func cancellingInTheMiddleOfTheBodyHangsUp() async throws {
        let never = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.truncated("half", of: 8).steps.dropLast() + [.hold(never)]
            )
        }
        let future = URLSession.patient.request(Endpoint(url: server.url))
        _ = try await server.received(1).value

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).value
        never.resolve(with: ())
    }

    @Test func cancellingAtOnceLeavesNoConnectionBehind() async throws {
        // Each request has its own: one that the server hears hang up cancels what it waits for.
        let thinking = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { request in
            guard request.target == "/next" else { return thinking }
            return Promise(value: .text("next"))
        })
        let future = URLSession.patient.request(Endpoint(url: server.url))

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        // The session has released the task before it ends another one.
        thinking.resolve(with: .text("late"))
        _ = try await URLSession.patient.request(Endpoint(path: "/next", base: server.url)).value
        #expect(server.requests.filter { $0.target == "/next" }.count == 1)
    }

    @Test func cancellingAfterTheAnswerChangesNothing() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let future = URLSession.patient.request(Endpoint(url: server.url))
        let data = try await future.value

        future.cancel()

        #expect(try future.result?.get() == data)
    }

    @Test func oneCancelledCallLeavesTheOthersAlone() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        let futures = (0..<4).map { index in
            URLSession.patient.request(Endpoint(path: "/\(index)", base: server.url))
        }
        _ = try await server.received(4).value

        futures[2].cancel()
        try await server.hungUp(1).value
        go.resolve(with: ())

        for index in [0, 1, 3] {
            let data = try await futures[index].value
            #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
        }
    }

    @Test func twoHundredAtOnceAreAllAnsweredWithTheirOwn() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let futures = (0..<200).map { index in
            URLSession.patient.request(Endpoint(path: "/\(index)", base: server.url))
        }

        let answers = try await Future.all(futures).value

        let texts = answers.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts == (0..<200).map { "/\($0)" })
        #expect(Set(server.requests.map(\.target)).count == 200)
    }

    @Test func cancellingAtAnyMomentNeverTraps() async throws {
        let server = try LoopbackServer { _ in .text("quick") }
        for round in 0..<1000 {
            let future = URLSession.patient.request(Endpoint(path: "/\(round)", base: server.url))
            for _ in 0..<(round % 40) { await Task.yield() }
            future.cancel()
            switch await future.resultWhenSettled {
            case .success(let data): #expect(data.count == 5)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        let last = try await URLSession.patient.request(Endpoint(url: server.url)).value
        #expect(last.count == 5)
    }

    /// The cancellation and the session's question whether to follow are combined at every moment in turn.
    ///
    /// If the question is answered too late, FoundationNetworking stops the process.
    @Test(arguments: [302, 307, 401])
    func cancellingWhileBeingSentElsewhere(status: Int) async throws {
        let server = try LoopbackServer { request in
            if request.target == "/end" { return .text("end") }
            return .text(
                "", status: status,
                headers: ["Location": "/end", "WWW-Authenticate": "Basic realm=\"a\""])
        }
        let queue = DispatchQueue(label: "cancelling")
        for round in 0..<300 {
            let endpoint = Endpoint(path: "/start", method: .get, base: server.url)
            let future = URLSession.patient.request(endpoint)
            let requests = server.received(server.requests.count + round % 3)
            requests.observe { _ in queue.async { future.cancel() } }
            _ = await future.resultWhenSettled
            requests.cancel()
        }
        let data = try await URLSession.patient.request(Endpoint(path: "/end", base: server.url))
            .value
        #expect(data == Data("end".utf8))
    }
}

@Suite(.alone)
struct URLSessionRequestLimitTests {
    @Test func aBodyThatGrowsBeyondTheLimitFailsAndIsNotKept() async throws {
        let bomb = try await Self.bomb()
        #expect(bomb.count == 611_522)
        let server = try LoopbackServer { _ in
            .response(headers: ["Content-Encoding": "gzip"], body: bomb)
        }
        let before = heldBytes()
        let most = Locked(before)
        let watch = DispatchSource.makeTimerSource()
        watch.schedule(deadline: .now(), repeating: .milliseconds(2))
        watch.setEventHandler { most.withLock { $0 = max($0, heldBytes()) } }
        watch.resume()
        defer { watch.cancel() }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.code == .bodyTooLarge)
        #expect(error.status == 200)
        // The body may have 64 MiB, in addition to a buffer that grows.
        #expect(most.withLock { $0 } - before < 256 << 20)
    }

    /// 600 MiB of zeros as gzip, compressed twice more here.
    private static func bomb() async throws -> Data {
        let text = """
            eNqruPX2jqJfDKOIw0V7g6SgwKjGVRm81Ssymdh6GbhXrsq8fsGTg6v5YBn3Cr0FfJ0ZTBZiFxQENBJuzXQN+VPd
            V/Xr5PTpv/+VmOmsXfv/p+nMP9LP0vXFv28OZ2ZgYDAo+nz78denhgk/Nuy4d9caKMJw7N3nY69fvtL4UPIl77gV
            UCDhi59dbc3mXwIVP/7lZsmCdFXN7i+/vTr6wNNHz2/X/gaKNFzcLcgDokUOgszIgHDEwJwOZM6ozKjMqMyAyEz7
            fHz3z0+GCb+zCv/a3JYBCv04X7fmr92fX6kSz6LrGU1LRAsAkp/ryQ==
            """
        let packed = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
        let unpack: HTTPService = stack(
            .decompress(upTo: 1 << 20),
            over: { _ in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Content-Encoding": "deflate, deflate"], body: packed
                    ))
            })
        let url = try #require(URL(string: "http://in.memory"))
        return try await unpack(HTTPRequest(url)).value.body
    }
}

/// `.authorize` over a real connection.
@Suite(.oneAtATime)
struct AuthorizeOverSocketTests {
    private let send = SessionTransport(session: URLSession(configuration: .patient)).send

    @Test func aThousandRefusedRequestsShareOneRefresh() async throws {
        let allAreSent = Promise<Void>()
        let server = try LoopbackServer(answeringLater: { request in
            if request.target == "/token" {
                return Future(value: .text(#"{"access_token": "new"}"#))
            }
            let isLetIn = request.header("Authorization") == "Bearer new"
            if isLetIn { return Future(value: .text(request.target)) }
            return allAreSent.map { .text("who?", status: 401) }
        })
        let (send, url) = (send, server.url)
        let refresher = TokenRefresher(AccessToken("old")) { _ in
            send(HTTPRequest(.post, url.appending(path: "token")))
                .map { try JSONDecoder().decode(AccessToken.self, from: $0.body) }
        }
        let api = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: url)), over: send)

        let all = (0..<1_000).map { api(HTTPRequest(.get, url.appending(path: "\($0)"))) }
        allAreSent.resolve()

        for (index, future) in all.enumerated() {
            #expect(try await future.value.text == "/\(index)")
        }
        let requests = server.requests
        #expect(requests.count { $0.target == "/token" } == 1)
        #expect(requests.count { $0.header("Authorization") == "Bearer old" } == 1_000)
        let again = requests.filter { $0.header("Authorization") == "Bearer new" }
        #expect(again.count == 1_000)
        #expect(Set(again.map(\.target)).count == 1_000)
    }
}
