import Foundation
import PledgeHTTPBodies
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct HTTPErrorCodedErrorTests {
    @Test func theCodeAndTheStatusAreWrittenAndNothingElse() {
        let secret = Endpoint(path: "/login", headers: ["Authorization": "Bearer s3cret"])
        let answer = HTTPResponse(status: 503, body: Data("s3cret".utf8))
        let error = HTTPError(code: .unacceptableStatus, endpoint: secret, response: answer)
        #expect(error.loggedCode == "503")
        #expect(HTTPError(code: .unacceptableStatus).loggedCode == "unacceptableStatus")
        #expect(HTTPError(code: .timedOut, response: answer).loggedCode == "timedOut")
    }

    @Test("S9: a code is a short word, and all codes differ")
    func codesAreWords() {
        let errors: [any CodedError] =
            MultipartError.Code.allCases.map { MultipartError(code: $0) }
            + DecompressionFailure.Code.allCases.map { DecompressionFailure($0) } + [
                HTTPError(code: .tokenRefreshFailed), HTTPError(code: .signInNeeded),
                HTTPError(code: .sessionEnded), HTTPError(code: .bodyNotReplayable),
                Endpoint.Error.invalidURL, Endpoint.Error.invalidHeader(name: "s3cret"),
                Endpoint.Error.invalidMethod("s3cret"), Endpoint.Error.bodyNotAllowed(method: .get),
                FileError(operation: "open", code: 2, path: "/s3cret"),
                DecodingFailure(
                    type: Int.self, data: Data("s3cret".utf8), cause: CocoaError(.coderInvalidValue)
                ),
            ]
        for error in errors {
            let isWord = error.loggedCode.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            #expect(isWord && error.loggedCode.count <= 24, "\(error.loggedCode)")
        }
        #expect(Set(errors.map { "\(type(of: $0)) \($0.loggedCode)" }).count == errors.count)
    }

    @Test func aCodeOfATransportHasItsOwnWords() {
        let code = HTTPError.Code(rawValue: "modemHungUp", description: "the modem hung up")
        #expect(HTTPError(code: code).loggedCode == "modemHungUp")
        #expect("\(HTTPError(code: code))".contains("the modem hung up"))
        #expect(code == HTTPError.Code(rawValue: "modemHungUp"))
        #expect(HTTPError.Code(rawValue: "timedOut") == .timedOut)
    }
}
