import Foundation
import HTTPTestSupport
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeHTTPNetworking

@Suite struct HTTPRequestCredentialTests {
    private func credential(_ value: String, _ account: String) -> HTTPRequest.Credential {
        HTTPRequest.Credential(
            header: "Cookie", value: value, principal: .account(account), origins: nil)
    }

    @Test func whoPutsAHeaderInIsNoPartOfTheQuestion() {
        let plain = HTTPRequest(at: "https://a/", headers: ["Cookie": "a=1"])
        let marked = HTTPRequest(at: "https://a/").adding(credential("a=1", "anna"))
        #expect(marked == plain && marked.hashValue == plain.hashValue)
    }

    @Test func aHeaderMayStandThereInSeveralNames() {
        let request = HTTPRequest(at: "https://a/").adding(credential("a=1", "anna"))
            .adding(credential("a=1; b=2", "bert"))
        #expect(request.headers.values(for: "Cookie") == ["a=1; b=2"])
        #expect(request.context.credentials.map(\.value) == ["a=1; b=2", "a=1; b=2"])
        let other = HTTPRequest(at: "https://a/").adding(credential("a=1; b=2", "bert"))
        #expect(CachePartition(of: other).isPart(of: CachePartition(of: request)))
        #expect(!CachePartition(of: request).isPart(of: CachePartition(of: other)))
    }
}
