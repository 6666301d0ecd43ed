import PledgeHTTPMessages
import Testing

@Suite struct HTTPMethodTests {
    @Test func theTextOfAMethodIsItsWord() {
        let all: [HTTPMethod] = [
            .get, .head, .post, .put, .delete, .patch, .options, .trace, .query,
        ]
        let words = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY"]
        #expect(all.map(\.rawValue) == words && all.map(\.description) == words)
        #expect(("PURGE" as HTTPMethod).rawValue == "PURGE")
        #expect(("get" as HTTPMethod) != .get)
    }
}

@Suite struct HTTPMethodIdempotentTests {
    @Test(arguments: [.get, .head, .put, .delete, .options, .trace, .query] as [HTTPMethod])
    func theseMethodsAreIdempotent(method: HTTPMethod) { #expect(method.isIdempotent) }

    @Test(arguments: [.post, .patch, "PURGE", "get", ""] as [HTTPMethod])
    func otherMethodsAreNotKnownToBeIdempotent(method: HTTPMethod) { #expect(!method.isIdempotent) }
}
