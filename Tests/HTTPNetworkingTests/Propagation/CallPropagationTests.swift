import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct CallPropagationTests {
    private typealias Part = Middleware<HTTPRequest, HTTPResponse>

    private let scheduler = ManualScheduler()
    private let url = URL(string: "https://a.example/1")!
    private let other = URL(string: "https://b.example/1")!

    /// The headers that arrive if a request is sent through a stack in a context.
    private func sent(
        _ request: HTTPRequest, in context: CallContext = .current,
        answers: [HTTPResponse] = [HTTPResponse(status: 200)], through parts: Part...
    ) -> [HTTPHeaders] {
        let service = AnsweringService(on: scheduler, answers.map { answer in { answer } })
        let middleware = Middleware(stacking: parts)
        let call = context.run { middleware(service.send)(request) }
        scheduler.run()
        #expect(call.result != nil)
        return service.requests.map(\.headers)
    }

    private func context(_ time: Duration?, _ priority: CallPriority?) -> CallContext {
        CallContext(deadline: time.map { CallDeadline(after: $0, on: scheduler) })
            .with(priority: priority)
    }

    @Test func aRequestHasTheTimeAndThePriority() {
        let headers = sent(
            HTTPRequest(url), in: context(.seconds(3), .sheddable),
            through: .callPropagation(to: .origins(of: url)))
        #expect(headers == [["Request-Timeout": "3000", "Request-Criticality": "sheddable"]])
    }

    @Test func namesAreChosen() {
        let names = CallHeaders(timeout: .grpc, priority: "x-criticality")
        let headers = sent(
            HTTPRequest(url), in: context(.seconds(3), .criticalPlus),
            through: .callPropagation(to: .all, named: names))
        #expect(headers == [["grpc-timeout": "3000m", "x-criticality": "critical-plus"]])
        let none = sent(
            HTTPRequest(url), in: context(.seconds(3), .criticalPlus),
            through: .callPropagation(to: .all, named: CallHeaders(timeout: nil, priority: nil)))
        #expect(none == [[:]])
    }

    @Test func whatNobodyHasBoundIsNotSent() {
        #expect(sent(HTTPRequest(url), through: .callPropagation(to: .all)) == [[:]])
        let timed = sent(
            HTTPRequest(url), in: context(.seconds(1), nil), through: .callPropagation(to: .all))
        #expect(timed == [["Request-Timeout": "1000"]])
    }

    @Test func eachAttemptHasTheTimeThatIsLeft() {
        let headers = sent(
            HTTPRequest(url),
            answers: [HTTPResponse(status: 503), HTTPResponse(status: 200)],
            through: .deadline(.seconds(10), on: scheduler),
            .retry(backoff: .constant(.seconds(4)), on: scheduler), .callPropagation(to: .all))
        #expect(headers.count == 2)
        let times = headers.compactMap { $0["Request-Timeout"].flatMap { Int($0) } }
        #expect(times.first == 10_000 && (times.last ?? 0) <= 6_000)
    }

    @Test func anotherOriginGetsNothingAlsoAfterARedirect() {
        let headers = sent(
            HTTPRequest(url), in: context(.seconds(3), .critical),
            answers: [
                HTTPResponse(status: 302, headers: ["Location": other.absoluteString]),
                HTTPResponse(status: 200),
            ],
            through: .redirect(), .callPropagation(to: .origins(of: url)))
        #expect(headers.count == 2)
        #expect(headers[0].count == 2 && headers[1].isEmpty)
    }

    @Test func aHeaderOfTheRequestIsSentAsItIs() {
        let request = HTTPRequest(url, headers: ["request-timeout": "5"])
        let headers = sent(
            request, in: context(.seconds(3), .critical), through: .callPropagation(to: .all))
        #expect(headers == [["request-timeout": "5", "Request-Criticality": "critical"]])
    }
}
