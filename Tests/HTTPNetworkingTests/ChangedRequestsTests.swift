import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import PledgeTraffic
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking

@Suite struct ChangedRequestsTests {
    private typealias Part = Middleware<HTTPRequest, HTTPResponse>

    private let request = HTTPRequest(.get, URL(string: "https://example.com/a")!)
    private let answer = Promise<HTTPResponse>()

    private func adding(_ name: String) -> Part {
        .changing { request in
            var request = request
            request.headers.set("yes", for: name)
            return request
        }
    }

    private func names(of request: HTTPRequest?) -> [String]? { request?.headers.map(\.name) }

    @Test func theAnswerNamesTheRequestThatTheInnermostMiddlewareSent() {
        let send = stack(adding("A"), adding("B"), over: { _ in answer })
        let call = send(request)
        answer.resolve(with: HTTPResponse(status: 204))
        #expect(names(of: call.valueNow?.request) == ["A", "B"])
        #expect(names(of: send(request).valueNow?.request) == ["A", "B"])
    }

    @Test func theErrorNamesTheRequestThatTheInnermostMiddlewareSent() {
        let send = stack(adding("A"), adding("B"), over: { _ in answer })
        let call = send(request)
        answer.reject(with: HTTPError(code: .connectionLost, response: HTTPResponse(status: 500)))
        let error = call.errorNow as? HTTPError
        #expect(names(of: error?.request) == ["A", "B"])
        #expect(names(of: error?.response?.request) == ["A", "B"])
    }

    @Test func aRequestThatTheServiceNamesStays() {
        let own = HTTPRequest(.head, request.url)
        answer.resolve(with: HTTPResponse(status: 204, request: own))
        let send = stack(adding("A"), over: { _ in answer })
        #expect(send(request).valueNow?.request == own)
    }

    @Test func aRequestThatIsNotChangedPassesAsItIs() {
        let sent = Locked([HTTPRequest]())
        let send = stack(
            Part.changing { _ in nil },
            over: { request in
                sent.withLock { $0.append(request) }
                return answer
            })
        let call = send(request)
        #expect(call === answer)
        #expect(sent.withLock { $0 } == [request])
    }

    @Test func aChangeThatThrowsFailsTheCall() {
        struct NoKey: Error {}
        let send = stack(Part.changing { _ in throw NoKey() }, over: { _ in answer })
        #expect(send(request).errorNow is NoKey)
    }

    @Test(arguments: [
        Part.defaultHeaders(["A": "yes"]), .idempotencyKey { _ in "key" },
        .tracePropagation(), .callPropagation(to: .all), .chaos(byHeader: "X-Chaos"),
        Part(changing: "own") { next in { next($0) } },
    ])
    func eachPartThatChangesRequestsNamesWhatItSent(_ part: Middleware<HTTPRequest, HTTPResponse>) {
        let sent = Locked<HTTPRequest?>(nil)
        let send = stack(
            part,
            over: { request in
                sent.withLock { $0 = request }
                return answer
            })
        let trace = TraceContext(
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            tracestate: [String]())
        var post = HTTPRequest(.post, request.url)
        post.headers["X-Chaos"] = "delay=0"
        let call = CallContext(traceContext: trace).with(priority: .sheddable).run { send(post) }
        answer.resolve(with: HTTPResponse(status: 204))
        #expect(call.valueNow?.request == sent.withLock { $0 })
        #expect(call.valueNow?.request != nil)
    }
}
