import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// A request that is refused and sent again, over middleware that adds a header to it.
@Suite struct AuthorizedCallTests {
    private struct Broken: Error {}
    private let fixture = TokenFixture()

    /// The idempotency key may have arrived with an attempt before the refused one.
    @Test func whatGotAKeyBeneathIsSentAgainWithIt() {
        fixture.expect("t2")
        let send = fixture.send(over: stack(.idempotencyKey(), over: fixture.server.send))
        let call = send(HTTPRequest(.post, TokenFixture.url))
        fixture.end(with: AccessToken("t2"))
        #expect(call.valueNow?.status == 200)
        let keys = fixture.server.requests.map(\.context.idempotencyKey)
        #expect(keys.count == 2 && Set(keys).count == 1 && !keys.contains(nil))
    }

    /// A server sends it a byte at a time, and the caller waits for the error of the refresh.
    @Test func theBodyOfA401IsReadForASecond() throws {
        let source = ScriptedSource()
        let send: HTTPStreamingService = fixture.send(
            over: { _ in Future(value: HTTPStreamedResponse(status: 401, body: source.stream())) })
        let call = send(TokenFixture.request())
        fixture.fail(with: Broken())
        for _ in 1...3 {
            source.give("x")
            fixture.scheduler.advance(by: .milliseconds(300))
        }
        #expect(!call.isSettled)
        fixture.scheduler.advance(by: .milliseconds(100))
        let error = try #require(call.errorNow as? HTTPError)
        #expect(error.code == .tokenRefreshFailed && error.response?.status == 401)
        #expect(source.cancelled == 1)
    }

    @Test func aFailedRefreshShowsNothingOfWhatWasAddedBeneath() throws {
        let send = fixture.send(
            over: stack(
                .authorize(.header("X-API-Key", "s3cretkey"), for: .all), .acceptStatus(),
                over: { (request: HTTPRequest) in
                    let key = request.headers["X-API-Key"] ?? "no key"
                    return Future(value: HTTPResponse(status: 401, body: Data("not \(key)".utf8)))
                }))
        let call = send(TokenFixture.request())
        fixture.fail(with: Broken())
        let error = try #require(call.errorNow)
        for text in texts(of: error) { #expect(!text.contains("s3cretkey")) }
    }
}
