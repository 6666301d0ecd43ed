import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct HTTPErrorOutcomeAdvisingTests {
    private struct Odd: Error {}

    @Test(arguments: [HTTPError.Code.cannotFindHost, .cannotConnect, .notConnected])
    func whatReachedNobodyMayBeRepeatedByAll(_ code: HTTPError.Code) {
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
    func whatMayHaveArrivedMayPass(_ code: HTTPError.Code) {
        #expect(HTTPError(code: code).advisedOutcome.retry == .after(nil))
        #expect(!HTTPError(code: code).isCertainlyUnsent)
    }

    @Test func aLostConnectionDidNotReachTheServiceIfItsCauseSaysSo() {
        struct Excluded: Error, OutcomeAdvising {
            let advisedOutcome = Outcome.retryable(after: nil)
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
        .transportClosed, .unsupported,
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
