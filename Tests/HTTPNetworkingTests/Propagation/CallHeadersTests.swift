import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPNetworking

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
