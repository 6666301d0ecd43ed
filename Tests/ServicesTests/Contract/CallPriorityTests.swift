import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct JoinedPriorityTests {
    private func make(_ priority: CallPriority?) throws -> JoinedPriority {
        let context = CallContext.current.with(priority: .criticalPlus).with(priority: priority)
        return try #require(JoinedPriority.make(in: context))
    }

    @Test func aCallPriorityThatRisesTellsItsListeners() throws {
        let priority = try make(.sheddable)
        let log = TestLog<CallPriority>()
        let listener = priority.listen { log.append($0) }
        priority.raise(to: .sheddable)
        priority.raise(to: .critical)
        priority.raise(to: .sheddablePlus)
        #expect(log.elements == [.sheddable, .critical])
        priority.stopListening(listener)
        priority.stopListening(listener)
        priority.raise(to: .criticalPlus)
        #expect(log.elements.count == 2)
        #expect(priority.bound == .criticalPlus && priority.listenerCount == 0)
    }

    /// Calls that wait for each other wait forever, and are raised nevertheless.
    @Test func twoCallPrioritiesMayListenToEachOther() throws {
        let (one, two) = (try make(.sheddable), try make(.sheddable))
        let listeners = [one.listen { two.raise(to: $0) }, two.listen { one.raise(to: $0) }]
        one.raise(to: .critical)
        #expect(two.bound == .critical)
        two.raise(to: .criticalPlus)
        #expect(one.bound == .criticalPlus)
        one.stopListening(listeners[0])
        two.stopListening(listeners[1])
    }

    /// Whoever listens while others raise hears of the highest.
    @Test func aListenerMissesNoRaiseOfACallPriority() throws {
        for _ in 0..<500 {
            let priority = try make(.sheddable)
            let highest = Locked(CallPriority.sheddable)
            onThreads(3) { index in
                switch index {
                case 0: for level in CallPriority.allCases { priority.raise(to: level) }
                case 1: priority.raise(to: .critical)
                default:
                    let other = priority.listen { _ in }
                    _ = priority.listen { level in
                        highest.withLock { $0 = max($0, level) }
                    }
                    priority.stopListening(other)
                }
            }
            #expect(highest.withLock { $0 } == .criticalPlus)
            #expect(priority.listenerCount == 1)
        }
    }
}
