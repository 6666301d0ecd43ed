import Foundation
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct EndpointReplayableTests {
    @Test func theMethodDecides() {
        #expect(Endpoint(path: "/a").isReplayable)
        #expect(Endpoint(path: "/a", method: .put, body: .data(Data([1]))).isReplayable)
        #expect(!Endpoint(path: "/a", method: .post).isReplayable)
        #expect(!Endpoint(path: "/a", method: .patch).isReplayable)
    }

    @Test func anIdempotencyKeyMakesAnyMethodReplayable() {
        let headers: HTTPHeaders = ["idempotency-key": "4711"]
        #expect(Endpoint(path: "/a", method: .post, headers: headers).isReplayable)
    }
}
