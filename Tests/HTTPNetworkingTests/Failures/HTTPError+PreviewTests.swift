import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

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
    @Test func whereNobodyKnowsWhatWasSentNoTextIsShown() {
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

    @Test func ofJSONNamesAndHarmlessValuesAreShown() {
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

    @Test func ofCutJSONNoValueIsShown() {
        #expect(preview(#"{"error":"sold out","token":"s3"#) == #"{"error":"…","token":…"#)
    }

    /// The end of the text may be the beginning of a secret, which is not recognised.
    @Test(arguments: [
        HTTPError.Code.connectionLost, .timedOut, .badResponse, .bodyTooLarge, .other,
    ])
    func ofAnIncompleteAnswerNoTextIsShown(code: HTTPError.Code) {
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

    @Test func whatWasSentIsTakenOut() {
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

    @Test func textIsOneLine() {
        #expect(
            preview("a\r\nb\u{1B}[31m\u{202E}c", "text/plain") == #"a\r\nb\u{1B}[31m\u{202E}c"#)
    }

    @Test func itIsCut() {
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
    func whatLooksLikeASecretInATextIsTakenOut(text: String, shown: String) {
        #expect(preview(text, "text/plain") == shown)
    }

    @Test func ofAFormTheNamesAreShown() {
        #expect(
            preview("error=bad&token=s3cret&x", "application/x-www-form-urlencoded")
                == "error=…&token=…&…")
    }

    @Test func ofBytesNothingIsShown() {
        #expect(preview("PNG", "image/png") == nil)
        #expect(preview("") == nil)
        #expect(HTTPError(code: .timedOut).bodyPreview() == nil)
    }

    @Test func whereNotAllThatWasSentIsKnownNoTextIsShown() {
        var asked = request()
        asked.body = .data(Data(String(repeating: "x", count: 70_000).utf8))
        #expect(preview("xxxx", "text/plain", of: asked) == nil)
        #expect(preview(#"{"error":"xxxx"}"#, of: asked) == #"{"error":"…"}"#)
    }

    @Test func itStandsInTheDescription() {
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
