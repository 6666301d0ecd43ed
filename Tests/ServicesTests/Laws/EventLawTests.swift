import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// The events of every policy form one tree of spans for each call, from which the call can be drawn.
@Suite struct EventLawTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    @Test(arguments: PolicyRow.all)
    func everySpanBeginsOnceAndEndsOnceWithinItsParent(_ row: PolicyRow) throws {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(
            .observed(by: log.observer, on: scheduler), row.make(scheduler), over: upstream.send)
        _ = service(1)
        scheduler.run()
        try expectATree()
    }

    @Test(arguments: PolicyRow.all, [0, 5, 15, 25, 115])
    func aCancelledCallEndsAllItsSpans(_ row: PolicyRow, _ milliseconds: Int) throws {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(
            .observed(by: log.observer, on: scheduler), row.make(scheduler), over: upstream.send)
        let call = service(1)
        scheduler.advance(by: .milliseconds(milliseconds))
        call.cancel()
        try expectATree()
    }

    private func expectATree() throws {
        var parents: [Int: Int?] = [:]
        var open: Set<Int> = []
        var last = SchedulerInstant(offset: .zero)
        for event in log.elements {
            #expect(event.call == log.elements.first?.call)
            #expect(event.instant >= last)
            last = event.instant
            switch event.kind {
            case .began:
                #expect(parents.updateValue(event.parent, forKey: event.span) == nil)
                if let parent = event.parent { #expect(open.contains(parent)) }
                open.insert(event.span)
            case .ended(_, let latency, _):
                #expect(open.remove(event.span) != nil)
                #expect(latency >= .zero)
            default:
                #expect(open.contains(event.span))
            }
            #expect(try #require(parents[event.span]) == event.parent)
        }
        #expect(open.isEmpty)
        #expect(parents[1] == .some(nil))
        #expect(parents.count { $0.value == nil } == 1)
    }
}
