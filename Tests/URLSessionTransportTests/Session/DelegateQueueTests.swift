#if canImport(FoundationNetworking)
import Foundation
import PledgeFutures
import Testing

@testable import PledgeURLSessionTransport

struct DelegateQueueTests {
    @Test func tellsTheDelegateAtOnce() {
        let seen = Locked(false)

        DelegateQueue().addOperation { seen.withLock { $0 = true } }

        #expect(seen.withLock { $0 })
    }
}
#endif
