import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPErrorCurlCommandTests {
    private let url = URL(string: "https://a.example/p?k=s3cret")!

    @Test func itIsTheRequestsOwn() {
        let request = HTTPRequest(.delete, url)
        let error = HTTPError(code: .timedOut, request: request)
        #expect(error.curlCommand == request.curlCommand)
        #expect(error.curlCommand?.contains("s3cret") == false)
        #expect(error.curlCommand(revealingSecrets: true)?.contains("s3cret") == true)
    }

    @Test func anEndpointIsLowered() throws {
        let endpoint = Endpoint(url: url)
        let error = HTTPError(code: .timedOut, endpoint: endpoint)
        #expect(error.curlCommand == (try HTTPRequest(endpoint).curlCommand))
    }

    @Test func whereNothingIsKnownThereIsNone() {
        #expect(HTTPError(code: .other).curlCommand == nil)
        #expect(HTTPError(code: .other, endpoint: Endpoint(path: "/a")).curlCommand == nil)
    }
}
