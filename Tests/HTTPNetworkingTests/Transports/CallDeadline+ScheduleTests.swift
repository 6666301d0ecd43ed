import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPNetworking

struct CallDeadlineScheduleTests {
    private let scheduler = ManualScheduler()
    private let order = Locked<[String]>([])

    private func schedule() -> any ScheduledAction {
        CallDeadline(after: .seconds(2), on: scheduler).schedule { [order] in
            order.withLock { $0.append("transport") }
        }
    }

    /// A policy sets its timer after the transport has, and yet comes first.
    @Test func comesAfterOtherActionsOfThatInstant() {
        _ = schedule()
        scheduler.schedule(after: .seconds(2)) { [order] in
            order.withLock { $0.append("policy") }
        }
        scheduler.advance(by: .milliseconds(1_999))
        #expect(order.withLock { $0 } == [])
        scheduler.advance(by: .milliseconds(1))
        #expect(order.withLock { $0 } == ["policy", "transport"])
    }

    @Test func canBeCancelled() {
        schedule().cancel()
        scheduler.advance(by: .seconds(3))
        #expect(order.withLock { $0 } == [])
    }
}
