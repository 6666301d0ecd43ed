import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

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
    func whatIsNoStatusIsAFailure(_ status: Int) {
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
