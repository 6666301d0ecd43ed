import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct CircuitBreakerMachineTests {
    static func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// A box for the machine, since `#expect` calls no mutating methods.
    final class Machine {
        var machine: CircuitBreakerMachine

        init(_ limits: CircuitBreakerLimits = CircuitBreakerLimits()) {
            machine = CircuitBreakerMachine(limits)
        }

        var state: CircuitBreakerMachine.State { machine.state }

        func enter(_ milliseconds: Int) -> CircuitBreakerMachine.Entry {
            machine.admitCall(at: at(milliseconds))
        }

        /// Begins a call that must pass.
        func ticket(_ milliseconds: Int) throws -> Int {
            guard case .admitted(let ticket, _) = enter(milliseconds) else {
                throw Broken()
            }
            return ticket
        }

        func end(
            _ ticket: Int, _ outcome: Outcome, _ milliseconds: Int
        ) -> CircuitBreakerMachine.Change? {
            machine.endCall(ticket, with: outcome.health, at: at(milliseconds))
        }

        /// Begins and ends calls.
        func calls(_ outcomes: [Outcome], _ milliseconds: Int) throws
            -> [CircuitBreakerMachine.Change?]
        {
            try outcomes.map { end(try ticket(milliseconds), $0, milliseconds) }
        }

        /// Opens the breaker.
        func trip(_ milliseconds: Int, for duration: Int) throws {
            _ = try calls(Array(repeating: .failure, count: 5), milliseconds)
            open(milliseconds, for: duration)
        }

        func open(_ milliseconds: Int, for duration: Int) {
            machine.open(for: .milliseconds(duration), at: at(milliseconds))
        }
    }

    let first = CircuitBreakerMachine.Change.tripped(wasClosed: true, opening: 0, previous: nil)

    @Test(arguments: [.failure, .retryable, .retryable(after: .seconds(1))] as [Outcome])
    func fiveFailuresInARowOpenABreaker(failure: Outcome) throws {
        let machine = Machine(CircuitBreakerLimits(failuresInARow: 5, successRate: 0))
        let changes = try machine.calls(Array(repeating: failure, count: 5), 7)
        #expect(changes == [nil, nil, nil, nil, first])
        #expect(machine.state == .tripped(since: Self.at(7)))
    }

    /// The share is disabled here, since it would open the breaker as well.
    @Test func aSuccessBeginsABreakersRowOfFailuresAnew() throws {
        let machine = Machine(CircuitBreakerLimits(failuresInARow: 5, successRate: 0))
        let changes = try machine.calls(
            [.failure, .failure, .failure, .failure, .success]
                + Array(repeating: .failure, count: 5), 0)
        #expect(changes == Array(repeating: nil, count: 9) + [first])
    }

    @Test func anIgnorableEndNeitherCountsInABreakersRowNorEndsIt() throws {
        let machine = Machine()
        let changes = try machine.calls(
            [.failure, .failure, .failure, .failure, .ignorable, .ignorable, .failure], 0)
        #expect(changes == Array(repeating: nil, count: 6) + [first])
    }

    @Test func aBreakerStaysClosedWhileFourCallsInFiveSucceed() throws {
        let machine = Machine(CircuitBreakerLimits(successRate: 0.8))
        #expect(
            try machine.calls([.success, .success, .success, .success, .failure], 0).last
                == .some(nil))
        let worse = Machine(CircuitBreakerLimits(successRate: 0.8))
        #expect(
            try worse.calls([.success, .success, .failure, .success, .failure], 0)
                == [nil, nil, nil, nil, first])
    }

    @Test func fourCallsAreTooFewForABreakersRate() throws {
        let machine = Machine()
        #expect(
            try machine.calls([.failure, .failure, .success, .failure], 0).allSatisfy { $0 == nil })
        #expect(try machine.calls([.failure], 0) == [first])
    }

    /// Otherwise the breaker would open just as the service recovers.
    @Test func theFailureRateIsLookedAtWhenACallFails() throws {
        let machine = Machine()
        let changes = try machine.calls(
            [.failure, .failure, .failure, .failure, .success, .success, .failure], 0)
        #expect(changes == Array(repeating: nil, count: 6) + [first])
    }

    /// 23 of 100 is not less than 0.23, although 0.23 × 100 is more than 23 in binary.
    @Test(arguments: [(23, 100, 0.23), (7, 25, 0.28), (11, 20, 0.55), (4, 5, 0.8), (1, 3, 1.0 / 3)])
    func aFailureRateAtTheThresholdIsEnough(successes: Int, count: Int, rate: Double) throws {
        var limits = CircuitBreakerLimits(successRate: rate)
        limits.minimumRequests = count
        limits.failuresInARow = .max
        let failures = Array(repeating: Outcome.failure, count: count - successes)
        let machine = Machine(limits)
        let changes = try machine.calls(Array(repeating: .success, count: successes) + failures, 0)
        #expect(changes.allSatisfy { $0 == nil })
        #expect(try machine.calls([.failure], 0) == [first])
    }

    @Test func aBreakerForgetsCallsWithTheirSliceOfThreeSeconds() throws {
        let limits = CircuitBreakerLimits(successRate: 0.8)
        for (milliseconds, isOpen) in [(29_999, true), (30_000, false)] {
            let machine = Machine(limits)
            _ = try machine.calls([.failure, .success], 2_999)
            _ = try machine.calls([.success, .success], 3_000)
            #expect((try machine.calls([.failure], milliseconds) == [first]) == isOpen)
        }
        let later = Machine(limits)
        _ = try later.calls([.failure], 3_000)
        _ = try later.calls([.success, .success, .success], 29_000)
        #expect(try later.calls([.failure], 32_999) == [first])
    }

    @Test func anOpenBreakerRefusesUntilItsInstant() throws {
        let machine = Machine()
        try machine.trip(1_000, for: 5_000)
        #expect(machine.enter(1_000) == .refused(retryAt: Self.at(6_000)))
        #expect(machine.enter(5_999) == .refused(retryAt: Self.at(6_000)))
        #expect(machine.machine.ticketIfClosed == nil)
        guard case .admitted(_, isFirstProbe: true) = machine.enter(6_000) else {
            throw Broken()
        }
    }

    /// A lost connection with twelve calls is one event.
    @Test func failuresOpenABreakerOnlyOnceTheyHaveLasted() throws {
        let limits = CircuitBreakerLimits(
            failuresInARow: 10, failuresLasting: .milliseconds(500))
        let machine = Machine(limits)
        #expect(
            try machine.calls(Array(repeating: .failure, count: 99), 100)
                .allSatisfy { $0 == nil })
        #expect(try machine.calls([.failure], 599) == [nil])
        #expect(try machine.calls([.failure], 600) == [first])
        // A success between begins the row and its time anew; the share counts from the first failure on.
        let other = Machine(limits)
        _ = try other.calls(Array(repeating: .failure, count: 12), 100)
        _ = try other.calls(Array(repeating: .success, count: 20), 101)
        #expect(
            try other.calls(Array(repeating: .failure, count: 7), 1_100).allSatisfy { $0 == nil })
        #expect(try other.calls([.failure, .failure], 1_101) == [nil, first])
    }

    @Test func aBreakerForgetsWhatFailedLongAgo() throws {
        let machine = Machine(CircuitBreakerLimits(failuresLasting: .milliseconds(500)))
        _ = try machine.calls([.failure], 0)
        #expect(
            try machine.calls(Array(repeating: .failure, count: 5), 40_000)
                .allSatisfy { $0 == nil })
        #expect(try machine.calls([.failure], 40_500) == [first])
    }

    /// The probe may be an upload of ten minutes, or hang.
    @Test func aBreakerMakesAnotherProbeIfTheFirstDoesNotEnd() throws {
        let machine = Machine()
        try machine.trip(0, for: 5_000)
        let hung = try machine.ticket(6_000)
        #expect(machine.enter(10_999) == .refused(retryAt: Self.at(11_000)))
        let second = try machine.ticket(11_000)
        #expect(machine.enter(11_000) == .refused(retryAt: Self.at(16_000)))
        #expect(machine.end(second, .success, 11_100) == .closed)
        #expect(machine.end(hung, .failure, 12_000) == nil)
        #expect(machine.state == .closed)
    }

    @Test func anyProbeThatFailsOpensABreakerAgain() throws {
        let machine = Machine()
        try machine.trip(0, for: 5_000)
        let (hung, second) = (try machine.ticket(5_000), try machine.ticket(10_000))
        #expect(machine.end(hung, .failure, 10_100) != nil)
        machine.open(10_100, for: 9_000)
        #expect(machine.end(second, .success, 10_200) == nil)
        #expect(machine.state == .open(until: Self.at(19_100)))
    }

    /// While the probe is under way, the estimate equals the time for which the breaker was open.
    @Test func aBreakerHasOneProbeAtATime() throws {
        let machine = Machine()
        try machine.trip(0, for: 5_000)
        _ = try machine.ticket(6_000)
        #expect(machine.enter(6_000) == .refused(retryAt: Self.at(11_000)))
        #expect(machine.enter(10_999) == .refused(retryAt: Self.at(11_000)))
    }

    @Test func aProbeThatSucceedsClosesABreakerThatForgetsEverything() throws {
        let machine = Machine()
        try machine.trip(0, for: 5_000)
        #expect(machine.end(try machine.ticket(5_000), .success, 5_100) == .closed)
        #expect(machine.state == .closed)
        #expect(machine.machine.ticketIfClosed != nil)
        // The row, the window and the backoff have been reset.
        let changes = try machine.calls(Array(repeating: .failure, count: 5), 5_200)
        #expect(changes == [nil, nil, nil, nil, first])
    }

    @Test func aProbeThatFailsOpensABreakerForLonger() throws {
        let machine = Machine()
        try machine.trip(0, for: 5_000)
        for (opening, length) in [(1, 10_000), (2, 20_000), (3, 40_000)] {
            guard case .open(let until) = machine.state else { throw Broken() }
            let now = Int(until.offset / .milliseconds(1))
            let previous = Duration.milliseconds(length / 2)
            #expect(
                machine.end(try machine.ticket(now), .failure, now)
                    == .tripped(wasClosed: false, opening: opening, previous: previous))
            machine.open(now, for: length)
            #expect(machine.enter(now + length - 1) == .refused(retryAt: Self.at(now + length)))
        }
    }

    @Test func aProbeWithAnIgnorableEndLeavesABreakerHalfOpen() throws {
        let machine = Machine()
        try machine.trip(0, for: 5_000)
        #expect(machine.end(try machine.ticket(5_000), .ignorable, 5_100) == nil)
        #expect(machine.state == .halfOpen)
        guard case .admitted(let ticket, isFirstProbe: false) = machine.enter(5_100) else {
            throw Broken()
        }
        #expect(machine.enter(5_100) == .refused(retryAt: Self.at(10_100)))
        #expect(machine.end(ticket, .success, 5_200) == .closed)
    }

    @Test func aCallThatBeganBeforeABreakerOpenedDoesNotCount() throws {
        let machine = Machine()
        let early = try (0..<9).map { _ in try machine.ticket(0) }
        try machine.trip(0, for: 5_000)
        #expect(machine.end(early[0], .success, 1_000) == nil)
        #expect(machine.end(early[1], .failure, 1_000) == nil)
        #expect(machine.state == .open(until: Self.at(5_000)))
        let probe = try machine.ticket(5_000)
        #expect(machine.end(early[2], .success, 5_000) == nil)
        #expect(machine.end(early[3], .failure, 5_000) == nil)
        #expect(machine.end(early[4], .ignorable, 5_000) == nil)
        #expect(machine.state == .probing(since: Self.at(5_000)))
        #expect(machine.end(probe, .success, 5_000) == .closed)
        _ = try machine.calls([.failure, .failure, .failure, .failure], 5_000)
        #expect(machine.end(early[5], .failure, 5_000) == nil)
        #expect(machine.state == .closed)
    }

    @Test func aBreakerRefusesAllCallsUntilItsBackoffIsKnown() throws {
        let machine = Machine()
        _ = try machine.calls(Array(repeating: .failure, count: 5), 1_000)
        #expect(machine.enter(1_000) == .refused(retryAt: Self.at(1_000)))
        machine.open(1_000, for: 5_000)
        #expect(machine.end(try machine.ticket(6_000), .failure, 7_000) != nil)
        #expect(machine.enter(8_000) == .refused(retryAt: Self.at(12_000)))
    }
}

/// The machine compared with a model that keeps a list of everything and counts again each time.
@Suite struct CircuitBreakerOracleTests {
    @Test func aBreakerAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 21)
        var changes = 0, probes = 0, refusals = 0
        for _ in 0..<400 {
            var limits = CircuitBreakerLimits()
            limits.failuresInARow = Int.random(in: 1...6, using: &generator)
            limits.failuresLasting = .milliseconds(
                [0, 500, 2_000].randomElement(using: &generator) ?? 0)
            limits.successRate = Double(Int.random(in: 0...10, using: &generator)) / 10
            limits.minimumRequests = Int.random(in: 1...8, using: &generator)
            var model = Model(limits: limits)
            var machine = CircuitBreakerMachine(limits)
            var pending: [(ticket: Int, call: Int)] = []
            var now = 0
            let health = Int.random(in: 1...9, using: &generator)
            for call in 0..<400 {
                now += Int.random(in: 0...900, using: &generator)
                let instant = SchedulerInstant(offset: .milliseconds(now))
                if Bool.random(using: &generator) || pending.isEmpty {
                    let entry = machine.admitCall(at: instant)
                    let expected = model.enter(call, at: now)
                    switch entry {
                    case .admitted(let ticket, let isFirst):
                        pending.append((ticket, call))
                        #expect(expected == .some(.admitted(isFirstProbe: isFirst)))
                        probes += isFirst ? 1 : 0
                    case .refused(let retryAt):
                        #expect(
                            expected == .refused(retryAt.map { Int($0.offset / .milliseconds(1)) }))
                        refusals += 1
                    }
                } else {
                    let index = Int.random(in: 0..<pending.count, using: &generator)
                    let (ticket, call) = pending.remove(at: index)
                    let isFine = Int.random(in: 0..<10, using: &generator) < health
                    let isIgnored = Int.random(in: 0..<6, using: &generator) == 0
                    let outcome: Outcome = isIgnored ? .ignorable : isFine ? .success : .failure
                    let health = outcome.health
                    let change = machine.endCall(ticket, with: health, at: instant)
                    #expect(change == model.end(call, outcome, at: now))
                    if case .tripped? = change {
                        let length = Int.random(in: 0...9_000, using: &generator)
                        machine.open(for: .milliseconds(length), at: instant)
                        model.open(for: length, at: now)
                        changes += 1
                    }
                }
            }
        }
        // The scripts have covered every case.
        #expect(changes > 1_000 && probes > 1_000 && refusals > 1_000)
    }

    /// A breaker as its page describes it, in milliseconds.
    private struct Model {
        enum Entry: Equatable {
            case admitted(isFirstProbe: Bool)
            case refused(Int?)
        }

        let limits: CircuitBreakerLimits
        /// Everything that has counted since the breaker was last closed.
        var ends: [(now: Int, isSuccess: Bool)] = []
        /// When the first failure ended since the window had none.
        var failingSince = 0
        /// The calls whose ends still count.
        var listening: Set<Int> = []
        var lengths: [Int] = []
        var opensUntil: Int?
        var probe: (call: Int?, since: Int)?

        mutating func enter(_ call: Int, at now: Int) -> Entry {
            if let probe, probe.call != nil, now < probe.since + (lengths.last ?? 0) {
                return .refused(probe.since + (lengths.last ?? 0))
            }
            if let end = opensUntil, now < end { return .refused(end) }
            let isProbe = opensUntil != nil || probe != nil
            let isFirst = opensUntil != nil
            opensUntil = nil
            if isProbe { probe = (call, now) }
            listening.insert(call)
            return .admitted(isFirstProbe: isFirst)
        }

        mutating func end(
            _ call: Int, _ outcome: Outcome, at now: Int
        ) -> CircuitBreakerMachine.Change? {
            guard listening.remove(call) != nil else { return nil }
            if let probe {
                if outcome == .ignorable {
                    self.probe = (nil, probe.since)
                    return nil
                }
                if outcome == .success {
                    self = Model(limits: limits)
                    return .closed
                }
                return trip(wasClosed: false)
            }
            guard outcome != .ignorable else { return nil }
            let recentBefore = ends.filter { $0.now / 3_000 > now / 3_000 - 10 }
            if outcome != .success, recentBefore.allSatisfy(\.isSuccess) { failingSince = now }
            ends.append((now, outcome == .success))
            guard outcome != .success else { return nil }
            let row = ends.reversed().prefix { !$0.isSuccess }
            let least = Int(limits.failuresLasting / .milliseconds(1))
            let isRow =
                row.count >= limits.failuresInARow && now - (row.last?.now ?? now) >= least
            let recent = ends.filter { $0.now / 3_000 > now / 3_000 - 10 }
            let good = recent.count { $0.isSuccess }
            // The rates of the scripts are tenths.
            let isPoor =
                now - failingSince >= least && recent.count >= limits.minimumRequests
                && good * 10 < Int((limits.successRate * 10).rounded()) * recent.count
            return isRow || isPoor ? trip(wasClosed: true) : nil
        }

        private mutating func trip(wasClosed: Bool) -> CircuitBreakerMachine.Change {
            listening = []
            return .tripped(
                wasClosed: wasClosed, opening: lengths.count,
                previous: lengths.last.map { .milliseconds($0) })
        }

        mutating func open(for length: Int, at now: Int) {
            lengths.append(length)
            opensUntil = now + length
            probe = nil
        }
    }
}
