import Foundation
import PledgeHTTPNetworking
import Testing

@testable import PledgeURLSessionTransport

struct HTTPResponseURLResponseTests {
    private let url = URL(string: "http://a/")!

    /// The headers that are left of a response to a request.
    private func headers(
        _ coding: String, to method: HTTPMethod = .get, decoding known: Set<String>? = nil
    ) -> HTTPHeaders {
        var response = HTTPResponse(
            status: 200,
            headers: ["Content-Encoding": coding, "Content-Length": "9", "X": "1"],
            request: HTTPRequest(method, url))
        response.dropFraming(decodedFrom: known)
        return response.headers
    }

    @Test(arguments: [
        (HTTPMethod.get, "gzip", false), (.get, "BR", false), (.get, "identity", true),
        (.get, "Identity", true), (.head, "gzip", true),
    ])
    func dropsWhatDecodingMadeUntrue(method: HTTPMethod, coding: String, isKept: Bool) {
        #expect(headers(coding, to: method).count == (isKept ? 3 : 1))
    }

    /// Apple's URLSession passes a body in another coding on as it is.
    @Test(arguments: [
        ("gzip", false), ("X-Gzip", false), ("gzip, br", false), ("identity, gzip", false),
        ("zstd", true), ("gzip, zstd", true), ("zstd, gzip", true), ("aws-chunked", true),
    ])
    func keepsTheCodingOfABodyThatIsNotDecoded(coding: String, isKept: Bool) {
        #expect(headers(coding, decoding: ["gzip", "x-gzip", "br"]).count == (isKept ? 3 : 1))
    }
}
