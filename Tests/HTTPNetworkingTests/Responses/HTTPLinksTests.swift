import Foundation
import PledgeHTTPMessages
import Testing

@Suite struct HTTPLinksTests {
    private func response(_ headers: (String, String)...) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: HTTPHeaders(headers),
            url: URL(string: "https://a.example/list/1")!)
    }

    private func next(_ link: String) -> String? {
        response(("Link", link)).link("next")?.absoluteString
    }

    @Test(arguments: [
        ("<2>; rel=\"next\"", "https://a.example/list/2"),
        ("<?p=2>;rel=next", "https://a.example/list/1?p=2"),
        (
            "</b?x=1,2;3>; rel=\"last NEXT\"; title=\"a, \\\"b\\\"; rel=x\"",
            "https://a.example/b?x=1,2;3"
        ),
        ("<x>; title=\"<no>; rel=next, \", <https://b.example/>; rel=next", "https://b.example/"),
        (" , <a>; rel=first ,, <c>; rel = \"next\"", "https://a.example/list/c"),
    ])
    func aLinkFieldIsRead(_ text: String, _ url: String) { #expect(next(text) == url) }

    @Test(arguments: [
        "", "<2>", "<2>; rel=prev; rel=next", "<2>; anchor=\"#foo\"; rel=next", "<2; rel=next",
        "2; rel=next", "<ftp://a.example/>; rel=next", "<2>; rel=\"nextpage\"", "<2>; rel=",
    ])
    func aFieldThatIsNoLinkIsNotRead(_ text: String) { #expect(next(text) == nil) }

    @Test func severalLinkFieldsAreOneList() {
        let response = response(("Link", "<0>; rel=prev"), ("link", "<2>; rel=next"))
        #expect(response.link("next")?.lastPathComponent == "2")
        #expect(response.link("Prev")?.lastPathComponent == "0")
    }

    @Test func aResponseGivesItsLocationAndRetryAfter() {
        let response = response(("Location", "/new"), ("Retry-After", "120"))
        #expect(response.location?.absoluteString == "https://a.example/new")
        #expect(response.retryAfter == .seconds(120))
        let error = HTTPError(code: .unacceptableStatus, response: response)
        #expect(error.retryAfter == .seconds(120))
        #expect(HTTPError(code: .timedOut).retryAfter == nil)
        let dated = self.response(
            ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT"))
        #expect(dated.retryAfter == .seconds(30))
        #expect(self.response(("Location", "/a"), ("Location", "/b")).location == nil)
    }
}
