import Foundation
import HTTPNetworking
import Services
import Testing

@Suite struct HTTPErrorCodedErrorTests {
    @Test func theCodeAndTheStatusAreWrittenAndNothingElse() {
        let secret = Endpoint(path: "/login", headers: ["Authorization": "Bearer s3cret"])
        let answer = HTTPResponse(status: 503, body: Data("s3cret".utf8))
        let error = HTTPError(code: .unacceptableStatus, endpoint: secret, response: answer)
        #expect(error.loggedCode == "503")
        #expect(HTTPError(code: .unacceptableStatus).loggedCode == "the status is no success")
        #expect(HTTPError(code: .timedOut, response: answer).loggedCode == "it timed out")
    }
}
