#if AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import PledgeAsyncHTTPClientTransport

struct ConnectionTrackerTests {
    @Test func onlyCallsOverHTTP1TakeTurns() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        let tracker = ConnectionTracker(in: group, limit: 8)
        let loops = { (host: String) in
            Set((0..<6).map { _ in ObjectIdentifier(tracker.enterCall(to: host)) })
        }
        let first = loops("https://a.test")
        #expect(first.count == 1)
        tracker.noteVersion(.http1_1, of: "https://a.test")
        #expect(loops("https://a.test").count == 3)
        #expect(loops("https://b.test").count == 1)
        tracker.noteVersion(HTTPVersion(major: 2, minor: 0), of: "https://a.test")
        #expect(loops("https://a.test") == first)
        try await group.shutdownGracefully()
    }
}
#endif
