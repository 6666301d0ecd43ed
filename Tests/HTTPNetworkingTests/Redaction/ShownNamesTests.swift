import Foundation
import PledgeHTTPMessages
import PledgeHTTPText
import Testing

/// What logs and descriptions show of a URL's query and of headers.
@Suite struct ShownNamesTests {
    @Test(arguments: [
        ("page=2&per_page=50", "page=2&per_page=50"), ("PAGE=2", "PAGE=2"),
        ("page=s3cret&limit=12345678901", "page=…&limit=…"), ("page=&page", "page=&…"),
        ("sort=-created_at,name&lang=de-DE", "sort=-created_at,name&lang=de-DE"),
        ("sort=a%20b&order=\(String(repeating: "a", count: 33))", "sort=…&order=…"),
        ("token=2&q=2&key=2&after=2", "token=…&q=…&key=…&after=…"), ("page=2=3", "page=…"),
    ])
    func aQueryShowsValuesThatAreKnownToBeHarmless(_ query: String, _ shown: String) {
        let url = URL(string: "https://u:p@a.example/x?\(query)")!
        #expect(SafeText.redacted(url) == "https://…@a.example/x?\(shown)")
        #expect("\(HTTPRequest(url))" == "GET https://…@a.example/x?\(shown)")
    }

    @Test func headersShowRateLimits() {
        let headers: HTTPHeaders = [
            "X-RateLimit-Remaining": "59", "RateLimit": "limit=100", "X-RateLimit-Token": "t",
        ]
        #expect("\(headers)".contains("X-RateLimit-Remaining: 59"))
        #expect("\(headers)".contains("RateLimit: limit=100"))
        #expect("\(headers)".contains("X-RateLimit-Token: …"))
    }

    @Test(arguments: [
        (
            #"<https://a.example/x?page=2&token=s>; rel=next, </y?key=s>; rel="last""#,
            #"<https://a.example/x?page=2&token=…>; rel=next, </y?key=…>; rel=\"last\""#
        ),
        ("<https://u:p@a.example/x>", "<https://…@a.example/x>"),
        ("<//u:p@a.example/x?k=s>; rel=next", "<…>; rel=next"), ("<x?k=s", "…"),
    ])
    func aLinkShowsItsURLsWithoutSecrets(_ value: String, _ shown: String) {
        #expect("\(["Link": value] as HTTPHeaders)" == "[Link: \(shown)]")
    }
}
