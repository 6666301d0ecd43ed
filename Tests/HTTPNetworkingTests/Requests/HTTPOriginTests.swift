import Foundation
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPOriginTests {
    private func origin(_ text: String) -> HTTPOrigin? {
        URL(string: text).flatMap(HTTPOrigin.init)
    }

    @Test(arguments: [
        ("http://example.com", "http://EXAMPLE.com:80/path?q#f"),
        ("https://example.com/a", "HTTPS://example.com:443"),
        ("https://me:secret@example.com", "https://example.com"),
        ("http://[::1]:8080/a", "http://[::1]:8080"),
        ("http://[::1]", "http://[::1]:80"),
        ("http://example.com:", "http://example.com"),
    ])
    func theseAreTheSame(left: String, right: String) {
        #expect(origin(left) != nil && origin(left) == origin(right))
    }

    @Test(arguments: [
        ("http://example.com", "https://example.com"),
        ("http://example.com", "http://example.com:8080"),
        ("http://example.com", "http://www.example.com"), ("http://a@b.com", "http://a.com"),
        ("http://[::1]", "http://[::2]"), ("http://b.com:80@a.com", "http://b.com"),
    ])
    func theseAreNot(left: String, right: String) {
        #expect(origin(left) != nil && origin(right) != nil && origin(left) != origin(right))
    }

    @Test func whatLeadsNowhereHasNone() {
        #expect(
            origin("/path") == nil && origin("ftp://example.com") == nil && origin("http://") == nil
        )
    }

    @Test func itsTextHasNoUserinfo() {
        #expect(origin("https://me:s3cret@a.com/x")?.description == "https://a.com:443")
    }
}
