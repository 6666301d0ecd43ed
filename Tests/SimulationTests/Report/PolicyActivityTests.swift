import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

@Suite(.oneAtATime) struct PolicyRecorderTests {
    @Test func recordingChangesNoCall() {
        let (recorded, bare) = (
            ReportedRuns.busy(), ReportedRuns.busy(recordsPolicyEvents: false)
        )
        #expect("\(recorded)" == "\(bare)")
        #expect(recorded.eventCount == bare.eventCount)
        #expect(bare.policies.isEmpty)
    }

    @Test func theActionsOfEachPolicyAreCounted() throws {
        let run = ReportedRuns.busy()
        #expect(run.policies.map(\.policy) == ["circuitBreaker", "hedge", "retry", "timeout"])
        let breaker = try #require(run.policies.first)
        #expect(breaker.name == "fleet")
        let refused = try #require(breaker.actions.first { $0.action == "refused" }?.count)
        #expect(refused > 0 && breaker.count(of: "refused", in: 0..<60) == refused)
        #expect(breaker.count(of: "refused", in: 0..<8) == 0)
        #expect(breaker.count(of: "anything else", in: 0..<60) == 0)
        // Each call that the hosts got is a first attempt, a retry or a hedge, but for those that were refused.
        func count(_ action: String) -> Int {
            run.policies.map { $0.count(of: action, in: 0..<60) }.reduce(0, +)
        }
        let sent = run.callCount + count("retrying") + count("hedged") - refused
        #expect(Int((run.amplification * Double(run.callCount)).rounded()) == sent)
    }

    @Test func theStatesOfABreaker() throws {
        let breaker = try #require(ReportedRuns.busy().policies.first)
        #expect(breaker.states.first?.time == 0 && breaker.states.first?.state == "closed")
        let opened = try #require(breaker.states.first { $0.state == "open" })
        #expect(opened.time > 22 && opened.time < 24)
        #expect(breaker.states.last?.state == "closed")
    }

    @Test func ofSeveralBreakersTheStateIsTheOneThatRefusesMost() {
        var activity = SimulationRun.PolicyActivity(policy: "circuitBreaker", name: nil)
        let changes = [
            (1, "closed", "open"), (2, "closed", "open"), (3, "open", "half-open"),
            (4, "half-open", "closed"), (5, "open", "half-open"), (6, "half-open", "closed"),
        ]
        for (second, old, new) in changes {
            activity.noteAction(
                "state_changed", .stateChanged(from: old, to: new),
                at: Nanoseconds(second) * 1_000_000_000)
        }
        #expect(activity.states.map(\.state) == ["closed", "open", "half-open", "closed"])
        #expect(activity.states.map { $0.time.rounded() } == [0, 1, 5, 6])
    }

    @Test func eventsOfOtherThreadsAreNotCounted() {
        var scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .even(rate: 10), duration: .seconds(1))
        scenario.recordsPolicyEvents = true
        let run = scenario.run { _ in
            { request in
                let promise = Promise<Int>()
                let answer = stack(.fallback(1), over: { _ in promise })(request)
                onThreads(1) { _ in promise.reject(with: SimulatedFailure(code: .failed, host: 0)) }
                return answer
            }
        }
        #expect(run.callCount == 9 && run.policies.isEmpty)
    }
}
