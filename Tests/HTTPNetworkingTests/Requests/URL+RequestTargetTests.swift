import Foundation
import PledgeHTTPNetworking
import Testing

@Suite struct URLRequestTargetTests {
    @Test(arguments: [
        ("https://a.example/b/c?d=e&f", "/b/c?d=e&f"), ("https://a.example", "/"),
        ("https://a.example?b=c", "/?b=c"), ("http://a.example:81/%20b#c?d", "/%20b"),
        ("http://user@[::1]/b", "/b"),
    ])
    func pathAndQueryAreSent(_ url: String, _ target: String) {
        #expect(URL(string: url)?.requestTarget == target)
    }

    @Test(arguments: ["mailto:a", "/b/c", "file:///b"])
    func whatIsNotSentHasNone(_ url: String) {
        #expect(URL(string: url).map { $0.requestTarget == nil } == true)
    }
}
