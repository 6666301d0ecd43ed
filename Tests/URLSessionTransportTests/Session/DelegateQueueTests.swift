#if canImport(FoundationNetworking)
import Foundation
import Futures
import Testing

@testable import URLSessionTransport

struct DelegateQueueTests {
    @Test func tellsTheDelegateAtOnce() {
        let seen = Locked(false)

        DelegateQueue().addOperation { seen.withLock { $0 = true } }

        #expect(seen.withLock { $0 })
    }

    @Test func tellsCallersOneAfterTheOtherInOrder() async throws {
        let queue = DelegateQueue()
        let seen = Locked([Int]())
        let done = Promise<Void>()
        for index in 0..<1_000 { queue.deliver { seen.withLock { $0.append(index) } } }
        queue.deliver { done.resolve() }

        try await done.soon

        #expect(seen.withLock { $0 } == Array(0..<1_000))
    }
}
#endif
