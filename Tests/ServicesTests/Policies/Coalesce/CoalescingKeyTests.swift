import PledgeFutures
import PledgeServices
import Testing

extension CoalescingKey where Input == Ask, Output == Int, Key == Int {
    /// Even numbers share calls; odd ones have no key.
    fileprivate static var even: CoalescingKey {
        CoalescingKey { ask in ask.number.isMultiple(of: 2) ? ask.number : nil }
    }
}

@Suite struct CoalescingKeyTests {
    @Test func aKeyHasAName() {
        let upstream = Upstream(on: ManualScheduler())
        let load = stack(.coalesce(by: .even), over: upstream.send)
        let calls = [load(2), load(2), load(4)]
        #expect(upstream.count == 2)
        upstream.settle(0, .success(7))
        upstream.settle(1, .success(8))
        #expect(calls.map(\.valueNow) == [7, 7, 8])
    }

    @Test func anInputWithoutAKeySharesNothing() {
        let upstream = Upstream(on: ManualScheduler())
        let group = Coalescer<Int, Int>()
        let load = stack(.coalesce(by: .even, sharing: group), over: upstream.send)
        let calls = [load(1), load(1)]
        #expect(upstream.count == 2)
        #expect(group.count == 0)
        upstream.settle(0, .success(7))
        upstream.settle(1, .success(8))
        #expect(calls.map(\.valueNow) == [7, 8])
    }
}
