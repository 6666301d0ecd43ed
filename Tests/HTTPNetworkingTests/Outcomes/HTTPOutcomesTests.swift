import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages

@Suite struct HTTPResponseOutcomeAdvisingTests {
    private static let repeatable =
        [408, 421, 425, 429, 500, 502, 503, 504] + Array(520...524)

    private func outcome(_ status: Int, _ headers: HTTPHeaders = [:]) -> Outcome {
        let whole = HTTPResponse(status: status, headers: headers).advisedOutcome
        let streamed = HTTPStreamedResponse(
            status: status, headers: headers, body: HTTPBodyStream(Data()))
        #expect(streamed.advisedOutcome == whole)
        return whole
    }

    @Test func everyStatusHasItsOutcome() {
        for status in 100...599 {
            switch status {
            case _ where Self.repeatable.contains(status):
                #expect(outcome(status).retry == .after(nil), "\(status)")
                #expect(
                    outcome(status).health
                        == ([421, 425].contains(status) ? .healthy : .unhealthy), "\(status)")
            case 500...599: #expect(outcome(status) == .failure, "\(status)")
            default: #expect(outcome(status) == .success, "\(status)")
            }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 99, 600, 999, Int.max])
    func aResponseWithoutAValidStatusIsAFailure(_ status: Int) {
        #expect(outcome(status) == .failure)
    }

    @Test func retryAfterIsTheDelayOfWhatMayBeRepeated() {
        for status in Self.repeatable + [413] {
            #expect(outcome(status, ["Retry-After": "7"]).retry == .after(.seconds(7)))
        }
        for status in [200, 301, 404, 501] {
            #expect(outcome(status, ["Retry-After": "7"]) == outcome(status))
        }
    }

    @Test func aBodyTooLargeMayBeRepeatedOnlyWhereTheServerSaysWhen() {
        #expect(outcome(413) == .success)
        #expect(outcome(413, ["Retry-After": "never"]) == .success)
    }

    @Test func aDateThatTheServerNamesCountsFromItsOwnClock() {
        let headers: HTTPHeaders = [
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT",
        ]
        #expect(outcome(503, headers) == .retryable(after: .seconds(10)))
    }

    @Test func theStandardClassifierAsksTheResponse() {
        let classifier = Classifier<HTTPResponse>.standard
        #expect(classifier(.success(HTTPResponse(status: 503))) == .retryable(after: nil))
        #expect(classifier(.success(HTTPResponse(status: 404))) == .success)
    }
}

@Suite struct HTTPErrorOutcomeAdvisingTests {
    private struct Odd: Error {}

    @Test(arguments: [HTTPError.Code.cannotFindHost, .cannotConnect, .notConnected])
    func aRequestThatReachedNobodyMayBeRepeatedByAll(_ code: HTTPError.Code) {
        #expect(HTTPError(code: code).advisedOutcome.retry == .after(nil))
        #expect(HTTPError(code: code).isCertainlyUnsent)
    }

    /// A proxy may lock a user out, and the server has nothing to do with it.
    @Test func aProxysRefusalIsNotRepeatedAndNoEvidence() {
        let refused = HTTPError(code: .proxyRefused)
        #expect(refused.advisedOutcome == .callersMistake)
        #expect(refused.isCertainlyUnsent)
    }

    @Test func aStatusToCONNECTIsARefusalOrMayPass() {
        for status in [302, 400, 401, 403, 404, 407, 421] {
            #expect(HTTPError.Code.refusal(byProxy: status) == .proxyRefused)
        }
        for status in [408, 425, 429, 500, 502, 503, 504] {
            #expect(HTTPError.Code.refusal(byProxy: status) == .cannotConnect)
        }
    }

    @Test(arguments: [HTTPError.Code.connectionLost, .timedOut])
    func aRequestThatMayHaveArrivedMayPass(_ code: HTTPError.Code) {
        #expect(HTTPError(code: code).advisedOutcome.retry == .after(nil))
        #expect(!HTTPError(code: code).isCertainlyUnsent)
    }

    @Test func aLostConnectionDidNotReachTheServiceIfItsCauseSaysSo() {
        struct Excluded: Error, AdvisingError {
            let outcome = Outcome.retryable(after: nil)
            let isCertainlyUnsent = true
        }
        let lost = HTTPError(code: .connectionLost, cause: Excluded())
        #expect(lost.isCertainlyUnsent)
        #expect(lost.advisedOutcome == .retryable(fault: .network))
        #expect(!HTTPError(code: .timedOut, cause: Excluded()).isCertainlyUnsent)
    }

    @Test(arguments: [
        HTTPError.Code.insecureConnection, .badResponse, .bodyTooLarge, .bodyLengthMismatch,
        .bodyNotReplayable, .bodyUnreadable, .bodyIsBeingRead, .tooManyRedirects,
        .transportClosed, .unsupported, .unacceptableContentType,
    ])
    func whatWouldFailAgainIsAFailure(_ code: HTTPError.Code) {
        let outcome = HTTPError(code: code).advisedOutcome
        #expect(outcome.isFailure && outcome.retry == .never)
        #expect(!HTTPError(code: code).isCertainlyUnsent)
    }

    @Test func anUnacceptableStatusIsWhatItsResponseIs() {
        func outcome(_ status: Int, _ headers: HTTPHeaders = [:]) -> Outcome {
            HTTPError(
                code: .unacceptableStatus, response: HTTPResponse(status: status, headers: headers)
            ).advisedOutcome
        }
        #expect(outcome(404) == .rejection)
        #expect(outcome(501) == .failure)
        #expect(outcome(503, ["Retry-After": "3"]) == .retryable(after: .seconds(3)))
        #expect(HTTPError(code: .unacceptableStatus).advisedOutcome == .failure)
    }

    @Test(arguments: [204, 303, 404])
    func aStatusThatIsNotAcceptedHasFailedTheCallAndNotTheService(_ status: Int) {
        let error = HTTPError(code: .unacceptableStatus, response: HTTPResponse(status: status))
        #expect(error.advisedOutcome == .rejection)
        #expect(error.response?.advisedOutcome == .success)
    }

    @Test(arguments: [HTTPError.Code.other, HTTPError.Code(rawValue: "the modem hung up")])
    func ofWhatIsNotKnownTheCauseIsAsked(_ code: HTTPError.Code) {
        func outcome(_ cause: (any Error)?) -> Outcome {
            HTTPError(code: code, cause: cause).advisedOutcome
        }
        #expect(outcome(nil) == .retryable(after: nil))
        #expect(outcome(Odd()) == .retryable(after: nil))
        #expect(outcome(CancellationError()) == .ignorable)
        #expect(outcome(HTTPError(code: .badResponse)) == .failure)
        let mistake = DecodingError.valueNotFound(
            Int.self, DecodingError.Context(codingPath: [], debugDescription: ""))
        #expect(HTTPError(code: code, cause: mistake).advisedOutcome == .callersMistake)
    }

    /// The refresh calls another service, so a breaker outside `.authorize` counts nothing.
    @Test func aFailedRefreshMayBeRepeatedByItsCauseAndSaysNothingAboutTheService() {
        func outcome(_ cause: any Error) -> Outcome {
            HTTPError(code: .tokenRefreshFailed, cause: cause).advisedOutcome
        }
        func refusal(_ status: Int, _ headers: HTTPHeaders = [:]) -> HTTPError {
            HTTPError(
                code: .unacceptableStatus, response: HTTPResponse(status: status, headers: headers))
        }
        #expect(outcome(refusal(400)) == .callersMistake)
        #expect(outcome(HTTPError(code: .badResponse)).retry == .never)
        #expect(outcome(refusal(503, ["Retry-After": "3"])).retry == .after(.seconds(3)))
        #expect(outcome(HTTPError(code: .connectionLost)).retry == .after(nil))
        let causes: [any Error] = [refusal(503), HTTPError(code: .connectionLost), Odd()]
        #expect(causes.allSatisfy { outcome($0).health == .unknown })
    }

    /// A redirect of a POST has led to a GET, and only the error is left, without its context.
    @Test func theEndpointTellsWhereTheRequestIsAnother() {
        let order = Endpoint(path: "/orders", method: .post)
        let asked = HTTPRequest(URL(string: "https://a/done")!)
        let ofOrder = HTTPError(code: .connectionLost, endpoint: order, request: asked)
        #expect(ofOrder.failedRequest?.isReplayable == false)
        #expect(
            HTTPError(code: .connectionLost, request: asked).failedRequest?.isReplayable == true)
        #expect(HTTPError(code: .connectionLost).failedRequest == nil)
    }
}

@Suite struct RetryAfterTests {
    private let now = Date(secondsSince1970: 784_111_777)

    private func delay(_ text: String?, date: String? = nil) -> Duration? {
        var headers = HTTPHeaders()
        headers["Retry-After"] = text
        headers["Date"] = date
        return RetryAfter.delay(in: headers, now: now)
    }

    @Test(arguments: [("0", 0), ("120", 120), ("007", 7)])
    func secondsInRetryAfterAreADelay(_ text: String, _ seconds: Int) {
        #expect(delay(text) == .seconds(seconds))
    }

    @Test func aNumberTooLargeToCountIsTheLongestDelay() {
        #expect(delay("2147483649") == .seconds(1 << 31))
        #expect(delay(String(repeating: "9", count: 400)) == .seconds(1 << 31))
        #expect(delay("Fri, 31 Dec 9999 23:59:59 GMT") == .seconds(1 << 31))
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1 s", "soon", "0x10", "١٢", "120, 60"])
    func aRetryAfterThatIsNoDelayIsIgnored(_ text: String) {
        #expect(delay(text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT",
        "Sun Nov  6 08:50:37 1994",
    ])
    func aDateCountsFromTheSystemsDate(_ text: String) {
        #expect(delay(text) == .seconds(60))
    }

    @Test func aDateCountsFromTheResponsesOwnDate() {
        let later = "Mon, 07 Nov 1994 08:00:30 GMT"
        #expect(delay(later, date: "Mon, 07 Nov 1994 08:00:00 GMT") == .seconds(30))
        #expect(delay(later, date: "yesterday") == .seconds(83_453))
    }

    @Test func aDateInThePastIsIgnored() {
        #expect(delay("Sun, 06 Nov 1994 08:49:36 GMT") == nil)
        #expect(delay("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
        #expect(delay("Thu, 01 Jan 0000 00:00:00 GMT") == nil)
    }

    @Test func withoutTheHeaderThereIsNoDelay() {
        #expect(delay(nil) == nil)
    }

    @Test func theFirstOfSeveralRetryAftersCounts() {
        let headers: HTTPHeaders = ["Retry-After": "5", "retry-after": "9"]
        #expect(RetryAfter.delay(in: headers, now: now) == .seconds(5))
    }
}
