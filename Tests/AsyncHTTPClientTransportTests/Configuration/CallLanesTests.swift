#if AsyncHTTPClient
import Foundation
import PledgeFutures
import NIOPosix
import Testing

@testable import PledgeAsyncHTTPClientTransport

struct CallLanesTests {
    private let lanes = CallLanes(in: MultiThreadedEventLoopGroup.singleton, limit: 2)

    private func call(_ host: String = "a") -> Call {
        let call = Call(on: lanes)
        lanes.enter(host, call)
        return call
    }

    @Test func asManyCallsBeginAsThereMayBeConnections() {
        let calls = (0..<4).map { _ in call() }
        #expect(calls.map(\.isBegun) == [true, true, false, false])
        let other = call("b")
        #expect(other.isBegun)
    }

    @Test func theNextBeginsWhereOneEndsInOrder() {
        let calls = (0..<5).map { _ in call() }
        calls[1].end()
        #expect(calls.map(\.isBegun) == [true, true, true, false, false])
        #expect(calls[2].lane === calls[1].lastLane)
        calls[0].end()
        calls[2].end()
        #expect(calls.map(\.isBegun) == [true, true, true, true, true])
        #expect(calls[4].lane === calls[2].lastLane)
    }

    @Test func oneThatEndsKnowsWhetherAnotherBegan() {
        let calls = (0..<4).map { _ in call() }
        calls[3].endWhenBegun()
        #expect(calls[0].end())
        #expect(calls[1].end())
        #expect(!calls[2].end())
        #expect(!call().end())
    }

    @Test func aLaneIsOnTheSameLoopWheneverItIsOpened() {
        let first = call()
        let loop = first.lane?.loop
        first.end()
        for _ in 0..<10 {
            let next = call()
            #expect(next.lane?.loop === loop)
            next.end()
        }
        // So many hosts that the first is removed.
        for index in 0..<1_000 { call("host \(index)").end() }
        let again = call()
        #expect(again.lane !== first.lastLane)
        #expect(again.lane?.loop === loop)
    }

    @Test func oneThatIsWithdrawnNeverBegins() {
        let calls = (0..<4).map { _ in call() }
        lanes.withdraw(calls[2], from: "a")
        calls[0].end()
        #expect(calls.map(\.isBegun) == [true, true, false, true])
        lanes.withdraw(calls[2], from: "a")
        lanes.withdraw(calls[3], from: "a")
        calls[3].end()
        calls[1].end()
        #expect(call().isBegun)
    }

    @Test func onlyThoseThatFindNoLaneWait() {
        let calls = (0..<3).map { _ in call() }
        calls[0].end()
        #expect(calls.map(\.waits) == [0, 0, 1])
    }

    @Test func callsThatEndAtOnceDoNotPileUp() {
        let first = (0..<2).map { _ in call() }
        let many = (0..<100_000).map { _ in
            let call = Call(on: lanes, endsAtOnce: true)
            lanes.enter("a", call)
            return call
        }
        first[0].end()
        #expect(many.allSatisfy { $0.isBegun })
        #expect(call().isBegun)
    }

    @Test func noCallIsLostBetweenThreads() async {
        let rounds = 5_000
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var begun = 0
                    for round in 0..<rounds {
                        let call = Call(on: lanes, endsAtOnce: round % 3 == 0)
                        lanes.enter("a", call)
                        if round % 5 == 0 { lanes.withdraw(call, from: "a") }
                        call.endWhenBegun()
                        if call.isBegun { begun += 1 }
                    }
                    return begun
                }
            }
            for await begun in group { #expect(begun > 0) }
        }
        // All lanes are free again.
        let calls = (0..<3).map { _ in call() }
        #expect(calls.map(\.isBegun) == [true, true, false])
    }

    @Test func nothingIsKept() {
        let released = {
            let lanes = CallLanes(in: MultiThreadedEventLoopGroup.singleton, limit: 2)
            let calls = (0..<4).map { _ in Call(on: lanes) }
            for call in calls { lanes.enter("a", call) }
            for call in calls { call.end() }
            return { [weak lanes, weak lane = calls[0].lastLane] in lanes == nil && lane == nil }
        }()
        #expect(released())
    }
}

private final class Call: LaneUser {
    private struct State {
        var lane: CallLane?
        var lastLane: CallLane?
        var isBegun = false
        var endsWhenBegun: Bool
        var waits = 0
    }

    private let lanes: CallLanes
    private let state: Locked<State>
    init(on lanes: CallLanes, endsAtOnce: Bool = false) {
        self.lanes = lanes
        state = Locked(State(endsWhenBegun: endsAtOnce))
    }

    var lane: CallLane? { state.withLock { $0.lane } }
    var lastLane: CallLane? { state.withLock { $0.lastLane } }
    var isBegun: Bool { state.withLock { $0.isBegun } }
    var waits: Int { state.withLock { $0.waits } }

    func start(on lane: CallLane) {
        let ends = state.withLock { state in
            state.lane = lane
            state.lastLane = lane
            state.isBegun = true
            return state.endsWhenBegun
        }
        if ends { end() }
    }

    /// - Returns: Whether another call has begun on its lane.
    @discardableResult
    func end() -> Bool {
        let lane = state.withLock { $0.lane.take() }
        return lane.map(lanes.leave) ?? false
    }

    func endWhenBegun() {
        state.withLock { $0.endsWhenBegun = true }
        end()
    }

    func willWait() { state.withLock { $0.waits += 1 } }
}
#endif
