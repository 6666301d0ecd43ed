import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@Suite struct ErrorIsTimeoutTests {
    @Test(arguments: ServiceError.Code.allCases)
    func ofAPolicyTheTimeoutAndTheDeadline(code: ServiceError.Code) {
        let isTimeout = [.timedOut, .deadlineExceeded].contains(code)
        #expect(ServiceError(code, policy: "a policy").isTimeout == isTimeout)
    }

    @Test func ofATransportItsLimits() {
        #expect(HTTPError(code: .timedOut).isTimeout)
        #expect(!HTTPError(code: .connectionLost).isTimeout)
        #expect(!HTTPError(code: .other, cause: HTTPError(code: .timedOut)).isTimeout)
    }

    @Test(arguments: FutureError.Code.allCases)
    func ofAFutureItsTimeout(code: FutureError.Code) {
        #expect(FutureError(code).isTimeout == (code == .timedOut))
    }

    @Test func noOther() {
        #expect(!Broken().isTimeout && !CancellationError().isTimeout)
    }

    /// Each time limit of a call, with the error that a caller gets.
    @Test func eachLimitOfACall() {
        let scheduler = ManualScheduler()
        let unanswered = Promise<HTTPResponse>()
        let silent: HTTPService = { _ in unanswered.map { $0 } }
        let request = HTTPRequest(URL(string: "https://api.example.com/")!)
        let calls = [
            stack(.timeout(.seconds(1), on: scheduler), over: silent)(request),
            stack(.deadline(.seconds(1), on: scheduler), over: silent)(request),
            silent(request).timeout(.seconds(1), on: scheduler),
        ]
        scheduler.advance(by: .seconds(1))
        for call in calls { #expect(call.failure?.isTimeout == true) }
    }
}
