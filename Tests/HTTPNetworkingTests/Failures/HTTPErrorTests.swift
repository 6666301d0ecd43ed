import Foundation
import HTTPTestSupport
import PledgeAdmission
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@Suite struct HTTPErrorTests {
    private struct Loud: Error { var text = "s3cret" }

    private let endpoint = Endpoint(
        path: "/products/7",
        query: .init([.init(name: "key", value: "s3cret")]),
        headers: ["Authorization": "s3cret"],
        base: URL(string: "https://me:s3cret@api.example.com")
    )

    private let response = HTTPResponse(
        status: 404,
        headers: ["Content-Type": "application/json", "Set-Cookie": "s3cret"],
        body: Data(#"{"token":"s3cret"}"#.utf8)
    )

    @Test func anErrorKeepsTheWholeAnswer() {
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

    @Test func anErrorsTextSaysWhatWasAskedAndAnswered() {
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

    @Test func anErrorsTextGivesTheReasonInAFewWords() {
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
        let error = #expect(throws: Endpoint.Error.self) { try request.validate() }
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
                        limit: 1, queue: 9, queueTimeout: .milliseconds(1_234), leaseTime: nil,
                        on: time))
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

    @Test func noTextOfAnErrorShowsASecret() {
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

@Suite struct HTTPErrorPreviewTests {
    private func preview(
        _ body: String, _ type: String? = "application/json", of request: HTTPRequest? = nil,
        upTo limit: Int = 300
    ) -> String? {
        let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
        let response = HTTPResponse(status: 400, headers: headers, body: Data(body.utf8))
        return HTTPError(
            code: .unacceptableStatus, request: request ?? self.request(), response: response
        ).bodyPreview(upTo: limit)
    }

    /// A foreign transport may name no request, beneath a function whose input is not a request.
    @Test func noPreviewIsShownIfNobodyKnowsWhatWasSent() {
        for (body, type, shown) in [
            (#"{"error":"no s3cret","s3cret":[1]}"#, "application/json", #"{"error":"…","…":[…]}"#),
            ("no s3cret", "text/plain; for=s3cret", nil),
        ] {
            let error = HTTPError(
                code: .unacceptableStatus,
                response: HTTPResponse(
                    status: 400, headers: ["Content-Type": type], body: Data(body.utf8)))
            #expect(error.bodyPreview() == shown)
            #expect(!"\(error)".contains("s3cret"))
            let named = HTTPError(
                code: .unacceptableStatus, endpoint: Endpoint(path: "/a"), response: error.response)
            #expect(named.bodyPreview()?.contains("no s3cret") == true)
        }
    }

    private func request(_ url: String = "https://a.example/", headers: HTTPHeaders = [:])
        -> HTTPRequest
    {
        HTTPRequest(.post, URL(string: url)!, headers: headers)
    }

    @Test func thePreviewOfJSONShowsNamesAndHarmlessValues() {
        #expect(
            preview(
                #"{"error": "sold out", "code": 42, "who": "me", "n": [1, {"x": null}], "o": {}}"#)
                == #"{"error":"sold out","code":42,"who":"…","n":[…,{"x":…}],"o":{}}"#)
        #expect(
            preview(#"{"error_description":"a\"b\n","Error-Code":7}"#)
                == #"{"error_description":"a\"b\n","Error-Code":7}"#)
        #expect(
            preview(#"{"error":["a","b"],"detail":{"name":"x"}}"#)
                == #"{"error":["…","…"],"detail":{"name":"…"}}"#)
        #expect(preview("{\"a\":1}\n{\"b\":2}") == #"{"a":…} {"b":…}"#)
    }

    @Test func aHiddenValueIsHiddenInMessagesToo() {
        #expect(
            preview(#"{"token":"abcd9","message":"abcd9 has expired, s\u0061y ABCD9"}"#)
                == #"{"token":"…","message":"… has expired, say …"}"#)
    }

    @Test func thePreviewOfCutJSONShowsNoValue() {
        #expect(preview(#"{"error":"sold out","token":"s3"#) == #"{"error":"…","token":…"#)
    }

    /// The end of the text may be the beginning of a secret, which is not recognised.
    @Test(arguments: [
        HTTPError.Code.connectionLost, .timedOut, .badResponse, .bodyTooLarge, .other,
    ])
    func thePreviewOfAnIncompleteAnswerShowsNoText(code: HTTPError.Code) {
        let asked = request(headers: ["Authorization": "Bearer swordfish-sesame"])
        for (body, type, shown) in [
            ("who has swordfish-ses", "text/plain", nil),
            ("key=swordfish-ses&swordfi", "application/x-www-form-urlencoded", nil),
            (
                #"{"error":"swordfish-ses","swordfish-ses":1}"#, "application/json",
                #"{"error":"…","…":…}"#
            ),
        ] {
            let response = HTTPResponse(
                status: 200, headers: ["Content-Type": type], body: Data(body.utf8))
            let error = HTTPError(code: code, request: asked, response: response)
            #expect(error.bodyPreview() == shown)
            #expect(!"\(error)".contains("swordfi"))
        }
    }

    @Test func aBodyOfWhichOnlyTheBeginningWasKeptIsIncomplete() {
        let response = HTTPResponse(status: 500, body: Data("who has swordfish-ses".utf8))
        let error = HTTPError(
            code: .unacceptableStatus, request: request(), response: response,
            cause: HTTPError(code: .bodyTooLarge))
        #expect(error.bodyPreview() == nil)
    }

    @Test func thePreviewTakesOutWhatWasSent() {
        let asked = request(
            "https://joe:hunter2@a.example/p?key=k%2Fy%201#frag=ment9",
            headers: [
                "Authorization": "Bearer tok.en-1", "X-Api-Key": "k3y!", "Cookie": "a=c00kie",
            ])
        #expect(
            preview(
                "joe hunter2 k/y 1 k%2Fy+1 ment9 tok.en-1 k3y! c00kie end", "text/plain", of: asked)
                == "joe … … … … … … … end")
    }

    @Test func thePreviewOfTextIsOneLine() {
        #expect(
            preview("a\r\nb\u{1B}[31m\u{202E}c", "text/plain") == #"a\r\nb\u{1B}[31m\u{202E}c"#)
    }

    @Test func aLongPreviewIsCut() {
        #expect(preview("abcdef", "text/plain", upTo: 3) == "abc…")
        #expect(preview("abc", "text/plain", upTo: 3) == "abc")
        let long = preview(#"{"error":"\#(String(repeating: "x ", count: 20_000))"}"#)
        #expect(long?.count == 301)
        #expect(preview("abc", "text/plain", upTo: 0) == nil)
    }

    @Test(arguments: [
        ("your token: abc.def", "your token: …"), ("session_id='a b'", "session_id='…'"),
        ("Authorization: Bearer abc", "Authorization: Bearer …"),
        ("see /cb?state=xyz&n=1", "see /cb?state=…&n=…"),
        ("<input name=\"csrf\" value=\"q7\">", "<input name=\"csrf\" value=\"…\">"),
        (
            "Error: {\"ssn\": \"078 05\", \"error\": \"no\"}",
            "Error: {\"ssn\": \"…\", \"error\": \"no\"}"
        ),
        ("id 0123456789abcdef0123 x", "id … x"), ("at 12:30 o'clock", "at 12:30 o'clock"),
        ("no such product: 7", "no such product: 7"),
    ])
    func thePreviewTakesOutWhatLooksLikeASecret(text: String, shown: String) {
        #expect(preview(text, "text/plain") == shown)
    }

    @Test func thePreviewOfAFormShowsItsNames() {
        #expect(
            preview("error=bad&token=s3cret&x", "application/x-www-form-urlencoded")
                == "error=…&token=…&…")
    }

    @Test func thePreviewOfBytesShowsNothing() {
        #expect(preview("PNG", "image/png") == nil)
        #expect(preview("") == nil)
        #expect(HTTPError(code: .timedOut).bodyPreview() == nil)
    }

    @Test func noPreviewIsShownIfNotAllThatWasSentIsKnown() {
        var asked = request()
        asked.body = .data(Data(String(repeating: "x", count: 70_000).utf8))
        #expect(preview("xxxx", "text/plain", of: asked) == nil)
        #expect(preview(#"{"error":"xxxx"}"#, of: asked) == #"{"error":"…"}"#)
    }

    @Test func thePreviewIsInTheDescription() {
        let response = HTTPResponse(
            status: 409, headers: ["Content-Type": "application/json"],
            body: Data(#"{"error":"sold out","stock":0}"#.utf8))
        let error = HTTPError(
            code: .unacceptableStatus, request: request("https://a.example/p?q=1"),
            response: response)
        #expect(
            error.description
                == #"POST https://a.example/p?q=… answered 409 (30 bytes of application/json in its body): {"error":"sold out","stock":…}"#
        )
        #expect(error.localizedDescription == error.description)
    }
}

@Suite struct ErrorIsTimeoutTests {
    @Test(arguments: ServiceError.Code.allCases)
    func aPolicysTimeoutAndDeadlineAreTimeouts(code: ServiceError.Code) {
        let isTimeout = [.timedOut, .deadlineExceeded].contains(code)
        #expect(ServiceError(code, policy: "a policy").isTimeout == isTimeout)
    }

    @Test func aTransportsLimitsAreTimeouts() {
        #expect(HTTPError(code: .timedOut).isTimeout)
        #expect(!HTTPError(code: .connectionLost).isTimeout)
        #expect(!HTTPError(code: .other, cause: HTTPError(code: .timedOut)).isTimeout)
    }

    @Test(arguments: FutureError.Code.allCases)
    func aFuturesTimeoutIsATimeout(code: FutureError.Code) {
        #expect(FutureError(code).isTimeout == (code == .timedOut))
    }

    @Test func noOtherErrorIsATimeout() {
        #expect(!Broken().isTimeout && !CancellationError().isTimeout)
    }

    /// Each time limit of a call, with the error that a caller gets.
    @Test func eachLimitOfACallIsATimeout() {
        let scheduler = ManualScheduler()
        let unanswered = Promise<HTTPResponse>()
        let silent: HTTPService = { _ in unanswered.map { $0 } }
        let request = HTTPRequest(URL(string: "https://api.example.com/")!)
        let calls = [
            stack(.timeout(.seconds(1), on: scheduler), over: silent)(request),
            stack(.deadline(.seconds(1), on: scheduler), over: silent)(request),
            silent(request).timeout(.seconds(1), on: scheduler),
        ]
        scheduler.advance(by: .seconds(1))
        for call in calls { #expect(call.failure?.isTimeout == true) }
    }
}

@Suite struct HTTPErrorCodedErrorTests {
    @Test func theCodeAndTheStatusAreWrittenAndNothingElse() {
        let secret = Endpoint(path: "/login", headers: ["Authorization": "Bearer s3cret"])
        let answer = HTTPResponse(status: 503, body: Data("s3cret".utf8))
        let error = HTTPError(code: .unacceptableStatus, endpoint: secret, response: answer)
        #expect(error.loggedCode == "503")
        #expect(HTTPError(code: .unacceptableStatus).loggedCode == "unacceptableStatus")
        #expect(HTTPError(code: .timedOut, response: answer).loggedCode == "timedOut")
    }

    @Test func aCodeIsAShortWordAndAllCodesDiffer() {
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

@Suite struct LocalizedErrorTests {
    @Test func whatAppsShowIsTheDescription() {
        let errors: [any Error & CustomStringConvertible] = [
            HTTPError(code: .timedOut, endpoint: Endpoint(path: "/a")),
            DecodingFailure(type: Int.self, data: Data(), cause: CancellationError()),
            Endpoint.Error.invalidHeader(name: "a b"),
            FutureError(.timedOut), ServiceError(.timedOut, policy: "timeout", limit: .seconds(2)),
            FileError(operation: "open", code: ENOENT, path: "/tmp/a"),
            MultipartError(code: .truncated), ServiceError(.tooManyPages, policy: "paginate"),
        ]
        for error in errors {
            #expect(error.localizedDescription == error.description)
        }
    }

    @Test func aFailureInsideTheFrameworkHasNoOrigin() {
        let future: Future<Int> = Future(value: Data("x".utf8)).decoded()
        #expect(future.failureOrigin == nil)
        #expect((try? future.result?.get()) == nil)
    }
}
