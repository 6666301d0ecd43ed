import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

/// The machine compared with a model that keeps a list of everything and counts again each time.
@Suite struct CircuitBreakerOracleTests {
    @Test func agreesOverRandomScripts() {
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
                    let entry = machine.enter(at: instant)
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
                    let change = machine.end(ticket, with: health, at: instant)
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
