import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking
@testable import PledgeTraffic

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

    @Test func theNamesOfPropagatedHeadersMayBeChosen() {
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

    @Test func aContextThatNobodyHasBoundIsNotSent() {
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
            .retry(Retry(backoff: .constant(.seconds(4))), on: scheduler),
            .callPropagation(to: .all))
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

@Suite struct CallHeadersTests {
    private let scheduler = ManualScheduler()

    @Test func aReceivedRequestHasTheContextOfItsCaller() {
        let headers: HTTPHeaders = [
            "request-timeout": "1500", "request-criticality": "Sheddable-Plus",
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
        let context = CallContext(headers, named: CallHeaders(), on: scheduler)
        #expect(context.remaining == .milliseconds(1_500))
        #expect(context.priority == .sheddablePlus)
        #expect(context.traceContext != nil)
        scheduler.advance(by: .seconds(1))
        #expect(context.remaining == .milliseconds(500))
    }

    @Test func whatIsMissingOrWrongIsNotInTheContext() {
        let wrong: HTTPHeaders = [
            "Request-Timeout": "soon", "Request-Criticality": "u=3", "traceparent": "1",
        ]
        for headers in [wrong, [:]] {
            let context = CallContext(headers, named: CallHeaders(), on: scheduler)
            #expect(context.deadline == nil && context.boundPriority == nil)
            #expect(context.traceContext == nil)
        }
    }

    @Test func headersWithoutANameAreNotRead() {
        let headers: HTTPHeaders = ["Request-Timeout": "9", "Request-Criticality": "critical"]
        let none = CallHeaders(timeout: nil, priority: nil)
        #expect(none.deadline(in: headers, on: scheduler) == nil)
        #expect(none.priority(in: headers) == nil)
    }

    @Test func everyPriorityIsReadAsItIsWritten() {
        for priority in CallPriority.allCases {
            let headers: HTTPHeaders = ["Request-Criticality": priority.headerValue]
            #expect(CallHeaders().priority(in: headers) == priority)
        }
        let twice = HTTPHeaders([
            ("Request-Criticality", "critical"), ("Request-Criticality", "critical"),
        ])
        #expect(CallHeaders().priority(in: twice) == nil)
    }
}

@Suite struct TimeoutHeaderTests {
    private func read(_ values: String..., by header: TimeoutHeader) -> Duration? {
        var headers = HTTPHeaders()
        for value in values { headers.add(value, for: header.name.uppercased()) }
        return header.duration(in: headers)
    }

    @Test(arguments: [TimeoutHeader.requestTimeout, .envoyExpected])
    func aTimeoutHeaderIsReadInMilliseconds(_ header: TimeoutHeader) {
        #expect(header.value(of: .seconds(2)) == "2000")
        #expect(header.value(of: .microseconds(1_999)) == "1")
        // Zero would mean no limit to some receivers.
        #expect(header.value(of: .microseconds(1)) == "1")
        #expect(header.value(of: .zero) == "1" && header.value(of: .seconds(-9)) == "1")
        #expect(header.value(of: .seconds(Int64.max)) == "1000000000")
        #expect(read("2000", by: header) == .seconds(2))
        #expect(read("007", by: header) == .milliseconds(7))
        #expect(read("9223372036854775807", by: header) == .seconds(1_000_000))
    }

    @Test func aTimeoutHeaderIsReadInTheFormOfGRPC() {
        let header = TimeoutHeader.grpc
        #expect(header.value(of: .seconds(2)) == "2000m")
        #expect(header.value(of: .microseconds(1)) == "1m")
        #expect(header.value(of: .seconds(99_999)) == "99999000m")
        #expect(header.value(of: .seconds(100_000)) == "100000S")
        #expect(read("3H", by: header) == .seconds(10_800))
        #expect(read("2M", by: header) == .seconds(120))
        #expect(read("5S", by: header) == .seconds(5))
        #expect(read("250m", by: header) == .milliseconds(250))
        #expect(read("7u", by: header) == .microseconds(7))
        #expect(read("9n", by: header) == .nanoseconds(9))
        #expect(read("99999999H", by: header) == .seconds(1_000_000))
    }

    @Test(arguments: [
        "", " ", "0", "-1", "+1", "1.5", "1e3", "0x10", "1 000", "٣", "99999999999999999999", "1,2",
        "1s", "1\u{301}",
    ])
    func aMalformedTimeoutHeaderIsNoTime(_ text: String) {
        #expect(read(text, by: .requestTimeout) == nil)
        #expect(read(text + "m", by: .grpc) == nil)
    }

    @Test(arguments: ["m", "1", "123456789m", "1h", "1 m", "1mm", "m1", "0m"])
    func aMalformedTimeoutHeaderOfGRPCIsNoTime(_ text: String) {
        #expect(read(text, by: .grpc) == nil)
    }

    @Test func severalTimeoutHeadersAreNone() {
        #expect(read("1", "1", by: .requestTimeout) == nil)
        #expect(read(by: .requestTimeout) == nil)
    }

    /// What is written is read, to the millisecond; random bytes never trap.
    @Test(arguments: [TimeoutHeader.requestTimeout, .grpc])
    func aTimeoutHeaderReadsWhatItWritesAndTrapsOnNothing(_ header: TimeoutHeader) {
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<2_000 {
            let time = Duration.milliseconds(Int.random(in: 1...99_999_999, using: &generator))
            #expect(read(header.value(of: time), by: header) == time)
            let letters = Array("0123456789HMSmun -+.xé")
            let text = String(
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    letters.randomElement(using: &generator)!
                })
            let read = read(text, by: header)
            #expect(read.map { $0 > .zero && $0 <= .seconds(1_000_000) } ?? true, "\(text)")
            // The headers take spaces from the ends of a value.
            if read != nil {
                #expect(text.drop { $0 == " " }.first?.isNumber == true, "\(text)")
            }
        }
    }
}
