#if AsyncHTTPClient
import Foundation
import NIOPosix
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

struct CallLanesTests {
    private let lanes = CallLanes(in: MultiThreadedEventLoopGroup.singleton, limit: 2)

    private func call(_ host: String = "a") -> Call {
        let call = Call(on: lanes)
        lanes.enterLane(host, call)
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
            lanes.enterLane("a", call)
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
                        lanes.enterLane("a", call)
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
            for call in calls { lanes.enterLane("a", call) }
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

/// Calls for which there is no connection yet.
@Suite(.oneAtATime) struct WaitingCallsTests {
    private let scheduler = ManualScheduler()
    private let gate = Promise<Void>()
    private let transport: AHCTransport
    private let server: LoopbackServer

    init() throws {
        var configuration = AHCTransport.Configuration()
        configuration.maxConnectionsPerHost = 1
        configuration.connectionWaitTimeout = .seconds(3)
        transport = AHCTransport(configuration, on: scheduler)
        server = try LoopbackServer { [gate] _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("ok").steps)
        }
    }

    private func ask(_ path: String, by deadline: CallDeadline? = nil) -> Future<HTTPResponse> {
        CallContext(deadline: deadline).run {
            transport.send(HTTPRequest(.get, server.url.appending(path: path)))
        }
    }

    private func occupy() async throws -> Future<HTTPResponse> {
        let first = ask("first")
        _ = try await server.received(1).value
        return first
    }

    @Test func beginInTheOrderInWhichTheyCame() async throws {
        let calls = (0..<30).map { ask("\($0)") }
        gate.resolve()
        for call in calls { #expect(try await call.value.text == "ok") }
        #expect(server.requests.map(\.target) == (0..<30).map { "/\($0)" })
        #expect(server.acceptedConnections == 1)
    }

    @Test func waitNoLongerThanTheyMay() async throws {
        let first = try await occupy()
        let second = ask("second")
        scheduler.advance(by: .seconds(2))
        let third = ask("third")
        #expect(second.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: HTTPError.self) { try second.settledValue() }
        #expect(error?.code == .timedOut)
        #expect(error?.reason == "the limit of 3.0 seconds for a free connection")
        #expect(error?.request?.url.lastPathComponent == "second")
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await third.value.text == "ok")
        #expect(server.requests.map(\.target) == ["/first", "/third"])
    }

    @Test func areNotSentAndSayNothingAboutTheHost() async throws {
        let first = try await occupy()
        let time = ManualScheduler()
        let service = stack(.timeout(.seconds(1), on: time), over: transport.send)
        let record = CallRecord()
        let second = CallContext().with(record: record).run {
            service(HTTPRequest(.post, server.url.appending(path: "second")))
        }
        for clock in [scheduler, time] { clock.advance(by: .seconds(2)) }
        #expect(second.result == nil && record.verdict == .repeatable)
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: HTTPError.self) { try second.settledValue() }
        #expect(error?.isCertainlyUnsent == true && error?.advisedOutcome == .refusal)
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(server.requests.map(\.target) == ["/first"])
    }

    @Test func areNotIdle() async throws {
        var configuration = AHCTransport.Configuration(idleTimeout: .seconds(2))
        configuration.maxConnectionsPerHost = 1
        #expect(configuration.connectionWaitTimeout == .seconds(10))
        let transport = AHCTransport(configuration, on: scheduler)
        let server = try LoopbackServer { [gate] request in
            request.target == "/second"
                ? .text("ok")
                : .stopping(after: "a", of: 2, until: gate, then: [.send(Data("b".utf8))])
        }
        let first = try await transport.stream(HTTPRequest(.get, server.url)).value
        let second = transport.send(
            HTTPRequest(.get, server.url.appending(path: "second")))
        // The body of the first response is not read.
        scheduler.advance(by: .seconds(9))
        #expect(second.result == nil)
        gate.resolve()
        #expect(try await first.body.collected(upTo: 2).value == Data("ab".utf8))
        #expect(try await second.value.text == "ok")
    }

    @Test func endAtTheirDeadlines() async throws {
        let first = try await occupy()
        let second = ask("second", by: CallDeadline(after: .seconds(1), on: scheduler))
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: HTTPError.self) { try second.settledValue() }
        #expect(error?.code == .timedOut)
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await ask("third").value.text == "ok")
        #expect(server.requests.map(\.target) == ["/first", "/third"])
    }

    @Test func endWithTheTransport() async throws {
        let first = try await occupy()
        let others = (0..<100).map { ask("\($0)") }
        let closed = transport.close(cancelling: true)
        for call in [first] + others {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await closed.value
        #expect(server.requests.map(\.target) == ["/first"])
    }

    @Test func goOnWhereTheTransportIsClosed() async throws {
        let first = try await occupy()
        let second = ask("second")
        let closed = transport.close()
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await second.value.text == "ok")
        try await closed.value
    }

    @Test func haveALaneEachTimeAConnectionIsLost() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.close]) }
        let calls = (0..<20).map { _ in transport.send(HTTPRequest(.post, server.url)) }
        for call in calls {
            let error = await #expect(throws: HTTPError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
        }
    }
}
#endif
