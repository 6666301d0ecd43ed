import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
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

    @Test func itsTextGivesTheReasonOrTheCauseInAFewWords() {
        func text(_ code: HTTPError.Code, _ cause: (any Error)?, _ reason: String? = nil) -> String
        {
            let endpoint = Endpoint(path: "/x")
            return HTTPError(code: code, endpoint: endpoint, cause: cause, reason: reason)
                .description
        }
        #expect(
            text(.fileUnwritable, FileError(operation: "open", code: ENOENT, path: "/a\nb"))
                == #"GET /x failed: the file cannot be written (cause: open /a\nb failed: "#
                + "No such file or directory (2))")
        #expect(
            text(.insecureConnection, Loud(), "the certificate has expired")
                == "GET /x failed: no secure connection could be made "
                + "(cause: the certificate has expired)")
        #expect(
            text(.tokenRefreshFailed, HTTPError(code: .connectionLost)).hasSuffix(
                "(cause: HTTPError: \(HTTPError(code: .connectionLost).loggedCode))"))
    }

    @Test func aRequestOfAnotherSchemeIsToldWhichOnesThereAre() throws {
        let request = HTTPRequest(try #require(URL(string: "ftp://h/a")))
        let error = #expect(throws: HTTPRequest.Error.self) { try request.validate() }
        let text = error?.description ?? ""
        #expect(text.contains("the scheme must be http or https"))
        #expect(!text.contains("give it a base"))
    }

    @Test(arguments: ["timeout", "deadline", "bulkhead"])
    func aTimeoutOfAPolicyNamesTheURLTheLimitAndTheTime(policy: String) throws {
        let time = ManualScheduler()
        let never = Promise<HTTPResponse>()
        let limit: Middleware<HTTPRequest, HTTPResponse> =
            switch policy {
            case "timeout": .timeout(.milliseconds(1_234), on: time)
            case "deadline": .deadline(.milliseconds(1_234), on: time)
            default:
                .bulkhead(
                    sharing: Bulkhead(
                        limit: 1, queue: 9, queueTimeout: .milliseconds(1_234), on: time))
            }
        let service = stack(limit, over: { _ in never })
        let request = HTTPRequest(try #require(URL(string: "https://a.example/b?c=s3cret")))
        _ = service(request)
        let future = service(request)
        time.advance(by: .seconds(2))
        let text = future.errorNow.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("\(policy): "))
        #expect(
            text.contains("timeout of 1.23 seconds")
                || text.contains("in the 1.23 seconds before the call's deadline"))
        #expect(text.hasSuffix(" for GET https://a.example/b?c=…"))
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
