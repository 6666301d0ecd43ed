import PledgeHTTPNetworking
import Testing

@Suite struct HTTPMethodIdempotentTests {
    @Test(arguments: [.get, .head, .put, .delete, .options, .trace, .query] as [HTTPMethod])
    func idempotent(method: HTTPMethod) { #expect(method.isIdempotent) }

    @Test(arguments: [.post, .patch, "PURGE", "get", ""] as [HTTPMethod])
    func notKnownToBe(method: HTTPMethod) { #expect(!method.isIdempotent) }
}
