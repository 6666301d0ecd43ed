import PledgeSimulation
import Testing

@testable import simulate

@Suite(.serialized)
struct PolicyStackTests {
    /// A host that fails every call, a second of calls, and a stack.
    private func run(_ policies: String) throws -> SimulationRun {
        var host = HostSettings(serviceTime: .constant(.milliseconds(1)))
        host.failureRate = 1
        host.workers = 100
        let scenario = Scenario(
            hosts: [host], arrivals: .even(rate: 101), duration: .seconds(1))
        let stack = try PolicyStack(policies)
        return scenario.run { stack.service(in: $0) }
    }

    @Test func eachPolicyDoesItsWork() throws {
        #expect(try run("none").amplification == 1)
        #expect(try run("retry").amplification == 3)
        #expect(try run("retry=5").amplification == 5)
        #expect(try run("hedge=10s").amplification == 2)
        // The ten of the budget.
        #expect(try run("retry,budget").amplification == 1.1)
        #expect(try run("retry,budget=0").amplification == 1.1)
        // It opens when failures have lasted for half a second, and lets a probe pass after half a second or more.
        #expect((51...52).contains(try run("breaker").hosts[0].received))
        // The least limit is three calls, and each is over before the next one.
        #expect(try run("adaptive").amplification == 1)
        #expect(try run("throttle").hosts[0].received < 60)
        #expect(try run("timeout=0.5ms").failures.map(\.kind) == ["ServiceError.timedOut"])
        #expect(try run("deadline=0.5ms").failures.map(\.kind) == ["ServiceError.deadlineExceeded"])
    }

    @Test func theFirstPolicyIsOutermost() throws {
        // Beneath the retry, the breaker counts attempts.
        #expect(try run("breaker,retry").hosts[0].received > 150)
        #expect(try run("retry,breaker").hosts[0].received < 150)
    }

    @Test func aBulkheadHasItsPlaces() throws {
        var host = HostSettings(serviceTime: .constant(.seconds(1)))
        host.workers = 100
        let scenario = Scenario(hosts: [host], arrivals: .even(rate: 101), duration: .seconds(1))
        let stack = try PolicyStack("bulkhead=8")
        #expect(scenario.run { stack.service(in: $0) }.hosts[0].received == 8)
    }

    @Test(arguments: [
        ("retries", #"there is no policy "retries"; there are adaptive, "#),
        ("", #"there is no policy """#),
        ("retry,", #"there is no policy """#),
        ("retry=0", #"retry needs a number from 1 to 1000000, not "0""#),
        ("retry=x", #"retry needs a number from 1 to 1000000, not "x""#),
        ("timeout=1", #"timeout needs a duration, as in 50ms or 1.5s, not "1""#),
        ("hedge=-1s", #"hedge needs a duration, as in 50ms or 1.5s, not "-1s""#),
        ("breaker=2", #"breaker needs a share from 0 to 1, not "2""#),
        ("throttle=2", #"throttle takes no value, not "2""#),
        ("budget", "a budget needs a retry or a hedge in --policies"),
    ])
    func wrongListsGetOneLine(list: String, line: String) {
        let error = #expect(throws: CommandError.self) { try PolicyStack(list) }
        #expect(error?.description.hasPrefix(line) == true, "\(error?.description ?? "no error")")
        #expect(error?.exitCode == 64)
    }
}
