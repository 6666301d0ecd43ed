import Foundation
import HTTPNetworking
import Testing

@Suite struct HTTPErrorTests {
    private struct Loud: Error { var text = "s3cret" }

    private let endpoint = Endpoint(
        path: "/products/7",
        queryItems: [.init(name: "key", value: "s3cret")],
        headers: ["Authorization": "s3cret"],
        base: URL(string: "https://me:s3cret@api.example.com")
    )

    private let response = HTTPResponse(
        status: 404,
        headers: ["Content-Type": "application/json", "Set-Cookie": "s3cret"],
        body: Data(#"{"token":"s3cret"}"#.utf8)
    )

    @Test func itKeepsTheWholeAnswer() {
        let error = HTTPError(code: .unacceptableStatus, endpoint: endpoint, response: response)
        #expect(
            error.status == 404 && error.headers == response.headers && error.body == response.body
        )
        #expect(error.endpoint == endpoint)
        let none = HTTPError(code: .timedOut, cause: Loud())
        #expect(
            none.status == nil && none.headers.isEmpty && none.body.isEmpty && none.cause is Loud
        )
    }

    @Test func itsTextSaysWhatWasAskedAndAnswered() {
        let error = HTTPError(code: .unacceptableStatus, endpoint: endpoint, response: response)
        #expect(
            error.description
                == #"GET https://…@api.example.com/products/7?key=… answered 404 (18 bytes of application/json in its body): {"token":"…"}"#
        )
        #expect(
            HTTPError(code: .timedOut, endpoint: Endpoint(path: "/x"), cause: Loud()).description
                == "GET /x failed: it timed out (cause: Loud)"
        )
        #expect(HTTPError(code: .other).description == "a request failed: the transport failed")
    }

    @Test func noTextOfItShowsASecret() {
        let error = HTTPError(
            code: .unacceptableStatus,
            endpoint: endpoint,
            response: response,
            cause: Loud()
        )
        for text in texts(of: error) + texts(of: response) {
            #expect(!text.contains("s3cret"), "\(text)")
        }
    }
}
