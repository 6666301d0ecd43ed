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
}
#endif
