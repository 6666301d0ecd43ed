import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct HedgedCallTests {
    /// One call of a script: its duration in microseconds, and its end.
    struct Turn {
        let time: Int
        let outcome: Outcome

        init(using generator: inout SeededGenerator) {
            time = Int.random(in: 1...200_000, using: &generator)
            outcome =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<3: .success
                case 3: .failure
                case 4: .ignorable
                default: .retryable
                }
        }

        func step(_ number: Int) -> Upstream.Step {
            let time = Duration.microseconds(time)
            return switch outcome {
            case .success: .value(number, after: time)
            case .ignorable: .error(CancellationError(), after: time)
            default: .error(Advised(advisedOutcome: outcome), after: time)
            }
        }
    }

    /// Compared with a loop over the ends and timers in order of time.
    @Test(arguments: 0..<1_000) func agreesWithASequentialOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let attempts = Int.random(in: 1...5, using: &generator)
        let delay = Int.random(in: 1...100_000, using: &generator)
        let turns = (0..<attempts).map { _ in Turn(using: &generator) }
        let scheduler = ManualScheduler()
        let upstream = Upstream(on: scheduler, turns.indices.map { turns[$0].step($0 + 1) })
        let call = stack(
            .hedge(after: .microseconds(delay), attempts: attempts, maxExtraLoad: 1, on: scheduler),
            over: upstream.send)(1)
        scheduler.run()
        let expected = oracle(turns, delay)
        #expect(upstream.instants == expected.begins.map { .microseconds($0) })
        #expect(scheduler.now.offset == .microseconds(expected.end))
        #expect(call.valueNow == expected.winner)
        #expect(upstream.cancelled == expected.cancelled)
        #expect(upstream.inFlight == 0)
    }

    func oracle(
        _ turns: [Turn], _ delay: Int
    ) -> (begins: [Int], end: Int, winner: Int?, cancelled: Int) {
        var begins = [0]
        var ends = [1: turns[0].time]
        var timer: Int? = turns.count > 1 ? delay : nil
        func begin(at now: Int) {
            begins.append(now)
            ends[begins.count] = now + turns[begins.count - 1].time
            timer = begins.count < turns.count ? now + delay : nil
        }
        while let (number, end) = ends.min(by: { $0.value < $1.value }) {
            if let fired = timer, fired <= end {
                begin(at: fired)
                continue
            }
            ends[number] = nil
            let outcome = turns[number - 1].outcome
            switch outcome {
            case .success, .failure:
                return (begins, end, outcome == .success ? number : nil, ends.count)
            case .retryable where begins.count < turns.count: begin(at: end)
            default: if ends.isEmpty { return (begins, end, nil, 0) }
            }
        }
        return (begins, 0, nil, 0)
    }

    /// Calls end on several threads at once, while others are cancelled: each settles and ends once, and no call
    /// stays under way.
    @Test func threadsShareAStack() {
        let pending = Locked<[Promise<Int>]>([])
        let open = Locked(0)
        let scheduler = ManualScheduler()
        let hedging = Hedging(after: .milliseconds(1), maxExtraLoad: 1, on: scheduler)
        let load = stack(
            .hedge(sharing: hedging, attempts: 4),
            over: { (number: Int) in
                let promise = Promise<Int>()
                promise.onCancel { open.withLock { $0 -= 1 } }
                open.withLock { $0 += 1 }
                pending.withLock { $0.append(promise) }
                return promise
            })
        let settled = Locked(0)
        @Sendable func end(_ promise: Promise<Int>, _ choice: Int) {
            let isMine =
                choice == 0 ? promise.resolve(with: 1) : promise.reject(with: Broken())
            if isMine { open.withLock { $0 -= 1 } }
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for number in 0..<1_000 {
                let future = load(number)
                future.observe { _ in settled.withLock { $0 += 1 } }
                if Int.random(in: 0..<4, using: &generator) == 0 { future.cancel() }
                scheduler.advance(by: .microseconds(500))
                for _ in 0..<2 {
                    let choice = Int.random(in: 0..<2, using: &generator)
                    if let promise = pending.withLock({ $0.popLast() }) { end(promise, choice) }
                }
            }
        }
        while let promise = pending.withLock({ $0.popLast() }) { end(promise, 0) }
        #expect(settled.withLock { $0 } == 4_000)
        #expect(open.withLock { $0 } == 0)
        scheduler.run()
        #expect(pending.withLock { $0.isEmpty })
        // Each has ended once: the hedging counts none any more, and none twice.
        #expect(hedging.takeSaved() == 10)
        let others = (0..<100).map { load($0) }
        #expect(hedging.takeSaved() == 101)
        for call in others { call.cancel() }
    }

    /// The first call wins while the second is on its way through the service.
    @Test func aHedgeThatHasLostBeforeItIsKnownIsCancelled() {
        let scheduler = ManualScheduler()
        let calls = Locked<[Promise<Int>]>([])
        let cancelled = Locked<[Int]>([])
        let load = stack(
            .hedge(after: .milliseconds(1), on: scheduler),
            over: { (_: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                let index = calls.withLock { calls in
                    calls.append(promise)
                    return calls.count
                }
                promise.onCancel { cancelled.withLock { $0.append(index) } }
                if index == 2 { calls.withLock { $0[0] }.resolve(with: 1) }
                return promise
            })
        let call = load(0)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(cancelled.withLock { $0 } == [2])
    }

    /// The observer of an answer, and the handler of a loser's cancellation, call the same stack.
    @Test func itMayBeCalledFromItsCallbacks() {
        let scheduler = ManualScheduler()
        let inner = Locked<[Future<Int>]>([])
        let slot = Locked<Service<Ask, Int>?>(nil)
        let load = stack(
            .hedge(after: .milliseconds(1), on: scheduler),
            over: { (ask: Ask) -> Future<Int> in
                guard ask.number == 0 else { return Future(value: ask.number) }
                let promise = Promise<Int>()
                promise.onCancel {
                    guard let again = slot.withLock({ $0 }) else { return }
                    inner.withLock { $0.append(again(5)) }
                }
                scheduler.schedule(after: .milliseconds(3)) { promise.resolve(with: 0) }
                return promise
            })
        slot.withLock { $0 = load }
        let call = load(0).flatMap { _ in load(6) }
        scheduler.run()
        #expect(call.valueNow == 6)
        #expect(inner.withLock { $0 }.map(\.valueNow) == [5])
    }
}
