#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import PledgeURLSessionTransport

struct URLIPv6LiteralTests {
    @Test(arguments: [
        ("http://[::1]:80/%5Ba%5D?b=%5D", "http://%5B%3A%3A1%5D:80/%5Ba%5D?b=%5D"),
        ("https://a:b@[fe80::1%25lo]", "https://a:b@%5Bfe80%3A%3A1%2525lo%5D"),
        ("https://[fe80::1%25lo]", "https://%5Bfe80%3A%3A1%2525lo%5D"),
        ("http://a/%5Bb%5D", "http://a/%5Bb%5D"),
        ("http://a/?u=://%5B::1%5D", "http://a/?u=://%5B::1%5D"),
    ])
    func isEncodedAndReadBack(text: String, encoded: String) throws {
        let url = try #require(URL(string: text))
        #expect(url.withEncodedLiteral.absoluteString == encoded)
        #expect(url.withEncodedLiteral.withPlainLiteral.absoluteString == url.absoluteString)
    }
}
#endif
