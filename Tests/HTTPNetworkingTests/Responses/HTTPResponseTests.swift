import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import Testing

@Suite struct HTTPResponseTests {
    private let endpoint = Endpoint(path: "/x")

    @Test(arguments: [200, 204, 299]) func aSuccessfulResponseGivesItsBody(status: Int) throws {
        let response = HTTPResponse(status: status, body: Data("ok".utf8))
        #expect(try response.acceptedBody(for: endpoint) == Data("ok".utf8))
    }

    @Test(arguments: [-1, 0, 100, 199, 300, 304, 404, 500, 999]) func anyOtherResponseThrows(
        status: Int
    )
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

@Suite struct HTTPResponseFramingTests {
    private func response(_ lengths: [String], status: Int = 200, coding: String? = nil)
        -> HTTPResponse
    {
        var headers = HTTPHeaders(lengths.map { ("Content-Length", $0) })
        headers["Transfer-Encoding"] = coding
        return HTTPResponse(status: status, headers: headers)
    }

    @Test(arguments: [[], ["0"], ["5"], ["5", "5"], ["5, 5"], ["5 ,5", "5"]])
    func aContentLengthOfOneNumberIsALength(lengths: [String]) {
        #expect(!response(lengths).hasInvalidLength(for: .get))
    }

    /// RFC 9112, section 6.3: a client must not use such a response.
    @Test(arguments: [
        ["5", "3"], ["5, 3"], ["5", ""], [""], [","], ["-5"], ["+5"], ["0x5"], ["5x"], ["five"],
        ["5 5"], ["٥"], ["99999999999999999999"],
    ])
    func anyOtherContentLengthIsNone(lengths: [String]) {
        #expect(response(lengths).hasInvalidLength(for: .get))
        #expect(response(lengths, status: 500).hasInvalidLength(for: .post))
        // The field does not say where these end.
        #expect(!response(lengths).hasInvalidLength(for: .head))
        #expect(!response(lengths, status: 204).hasInvalidLength(for: .get))
        #expect(!response(lengths, status: 304).hasInvalidLength(for: .get))
        #expect(!response(lengths, coding: "chunked").hasInvalidLength(for: .get))
    }

    @Test func theAnnouncedLengthIsThatOfTheBody() {
        #expect(response(["7"]).announcedLength(for: .get) == 7)
        let long: Int64? = response(["3000000000"]).announcedLength(for: .get)
        #expect(long == 3_000_000_000)
        #expect(response([]).announcedLength(for: .get) == nil)
        #expect(response(["7"]).announcedLength(for: .head) == 0)
        #expect(response(["7"], status: 304).announcedLength(for: .get) == 0)
    }
}
