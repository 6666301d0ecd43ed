import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPResponseTests {
    private let endpoint = Endpoint(path: "/x")

    @Test(arguments: [200, 204, 299]) func successGivesTheBody(status: Int) throws {
        let response = HTTPResponse(status: status, body: Data("ok".utf8))
        #expect(try response.acceptedBody(for: endpoint) == Data("ok".utf8))
    }

    @Test(arguments: [-1, 0, 100, 199, 300, 304, 404, 500, 999]) func allElseThrows(status: Int)
        throws
    {
        let response = HTTPResponse(status: status, headers: ["A": "b"], body: Data("no".utf8))
        let error = try #require(throws: HTTPError.self) {
            try response.acceptedBody(for: endpoint)
        }
        #expect(error.code == .unacceptableStatus && error.response == response)
        #expect(error.endpoint == endpoint)
    }

    @Test func aResponseIsAcceptedWithoutAnEndpoint() throws {
        let request = HTTPRequest(.post, try #require(URL(string: "https://h/x")))
        let response = HTTPResponse(status: 404, body: Data("no".utf8), request: request)
        let error = try #require(throws: HTTPError.self) { try response.acceptedBody() }
        #expect(error.request == request && error.endpoint == nil && error.response == response)
        #expect(
            try HTTPResponse(status: 200, body: Data("ok".utf8)).acceptedBody() == Data("ok".utf8))
    }

    @Test func textIsReadAsUTF8() {
        #expect(HTTPResponse(status: 200, body: Data("grüße".utf8)).text == "grüße")
        #expect(HTTPResponse(status: 200, body: Data([0x61, 0xFF])).text == "a\u{FFFD}")
    }
}
