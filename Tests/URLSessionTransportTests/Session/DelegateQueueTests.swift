#if canImport(FoundationNetworking)
import Foundation
import Futures
import Testing

@testable import URLSessionTransport

struct DelegateQueueTests {
    @Test func runsOneAfterTheOtherInOrder() async throws {
        let queue = DelegateQueue()
        let seen = Locked([Int]())
        let done = Promise<Void>()
        for index in 0..<1_000 { queue.addOperation { seen.withLock { $0.append(index) } } }
        queue.addOperation { done.resolve() }

        try await done.soon

        #expect(seen.withLock { $0 } == Array(0..<1_000))
    }
}
#endif
