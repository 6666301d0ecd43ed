import Foundation
import PledgeFutures
import PledgeHTTPNetworking
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
        let body: Endpoint.Body = method == .get ? .none : .data(Data("question".utf8))
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
