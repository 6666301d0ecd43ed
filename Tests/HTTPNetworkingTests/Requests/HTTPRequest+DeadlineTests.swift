import Foundation
import Futures
import HTTPTestSupport
import Services
import Testing

@testable import HTTPNetworking

struct HTTPRequestDeadlineTests {
    private let scheduler = ManualScheduler()
    private var request = HTTPRequest(.get, URL(string: "http://a/")!)

    @Test func withoutADeadlineNothingIsScheduled() {
        #expect(request.timeLeft == nil)
        #expect(request.atDeadline {} == nil)
    }

    @Test mutating func countsDownOnTheDeadlinesOwnClock() {
        let rang = Locked(0)
        request.context.deadline = CallDeadline(after: .seconds(2), on: scheduler)

        let timer = request.atDeadline { rang.withLock { $0 += 1 } }

        #expect(timer != nil)
        scheduler.advance(by: .milliseconds(1_999))
        #expect(request.timeLeft == .milliseconds(1))
        #expect(rang.withLock { $0 } == 0)
        scheduler.advance(by: .milliseconds(2))
        #expect(request.timeLeft == .milliseconds(-1))
        #expect(rang.withLock { $0 } == 1)
    }

    /// A policy sets its timer after the transport has, and yet comes first.
    @Test mutating func comesAfterOtherActionsOfThatInstant() {
        let order = Locked<[String]>([])
        request.context.deadline = CallDeadline(after: .seconds(2), on: scheduler)
        _ = request.atDeadline { order.withLock { $0.append("transport") } }
        scheduler.schedule(after: .seconds(2)) { order.withLock { $0.append("policy") } }

        scheduler.advance(by: .seconds(2))

        #expect(order.withLock { $0 } == ["policy", "transport"])
    }

    @Test mutating func canBeTakenBack() {
        let rang = Locked(false)
        request.context.deadline = CallDeadline(after: .seconds(2), on: scheduler)

        request.atDeadline { rang.withLock { $0 = true } }?.cancel()

        scheduler.advance(by: .seconds(3))
        #expect(!rang.withLock { $0 })
    }
}
