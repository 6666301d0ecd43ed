import PledgeHTTPNetworking
import Testing

@Suite struct HTTPMethodTests {
    @Test func methodsAreTheirWords() {
        let all: [HTTPMethod] = [
            .get, .head, .post, .put, .delete, .patch, .options, .trace, .query,
        ]
        let words = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY"]
        #expect(all.map(\.rawValue) == words && all.map(\.description) == words)
        #expect(("PURGE" as HTTPMethod).rawValue == "PURGE")
        #expect(("get" as HTTPMethod) != .get)
    }
}
