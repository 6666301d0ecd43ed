import Futures
import HTTPNetworking
import HTTPTestSupport
import Services
import Testing

@Suite struct HTTPErrorOutcomeAdvisingTests {
    private struct Odd: Error {}

    @Test(arguments: [HTTPError.Code.cannotFindHost, .cannotConnect, .notConnected])
    func whatReachedNobodyMayBeRepeatedByAll(_ code: HTTPError.Code) {
        #expect(HTTPError(code: code).advisedOutcome == .retryable(after: nil))
        #expect(HTTPError(code: code).isCertainlyUnsent)
    }

    @Test(arguments: [HTTPError.Code.connectionLost, .timedOut])
    func whatMayHaveArrivedMayPass(_ code: HTTPError.Code) {
        #expect(HTTPError(code: code).advisedOutcome == .retryable(after: nil))
        #expect(!HTTPError(code: code).isCertainlyUnsent)
    }

    @Test(arguments: [
        HTTPError.Code.insecureConnection, .badResponse, .bodyTooLarge, .bodyLengthMismatch,
        .bodyNotReplayable, .bodyUnreadable, .bodyIsBeingRead, .tooManyRedirects,
        .transportClosed, .unsupported,
    ])
    func whatWouldFailAgainIsAFailure(_ code: HTTPError.Code) {
        #expect(HTTPError(code: code).advisedOutcome == .failure)
        #expect(!HTTPError(code: code).isCertainlyUnsent)
    }

    @Test func anUnacceptableStatusIsWhatItsResponseIs() {
        func outcome(_ status: Int, _ headers: HTTPHeaders = [:]) -> Outcome {
            HTTPError(
                code: .unacceptableStatus, response: HTTPResponse(status: status, headers: headers)
            ).advisedOutcome
        }
        #expect(outcome(404) == .success)
        #expect(outcome(501) == .failure)
        #expect(outcome(503, ["Retry-After": "3"]) == .retryable(after: .seconds(3)))
        #expect(HTTPError(code: .unacceptableStatus).advisedOutcome == .failure)
    }

    @Test(arguments: [204, 303, 404])
    func aStatusThatIsNotAcceptedHasFailedTheCallAndNotTheService(_ status: Int) {
        let error = HTTPError(code: .unacceptableStatus, response: HTTPResponse(status: status))
        #expect(error.assessment == .rejection)
        #expect(error.response?.assessment == .success)
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
        #expect(HTTPError(code: code, cause: mistake).assessment == .callersMistake)
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
