import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport

/// Some calls through a stack, all of them derived from one number.
final class RandomStackRun: Sendable {
    /// One call, and its ends.
    private struct Call {
        let isReplayable: Bool
        let luggage: WeakLuggage
        let key: Int
        let begun: Duration
        var future: Future<Int>?
        /// The results of the call, with their times; a correct call has one.
        var ends: [(result: Result<Int, any Error>, instant: Duration)] = []
        var isCancelled = false
        let hasDeadline: Bool
    }

    /// A weak reference.
    private struct WeakLuggage: Sendable {
        weak let luggage: Luggage?
    }

    private struct State {
        var dice: SeededGenerator
        var calls: [Int: Call] = [:]
        /// The number of calls that reached each layer, outermost first, and the service.
        var entries: [Int]
        /// How many of these ended without blaming the service.
        var goodEnds: [Int]
        var openSpans = 0
        var transcript: [String] = []
    }

    let seed: UInt64
    let layers: [RandomLayer]
    /// The retries that the budget has at first, and what each success adds.
    let (capacity, share): (Int, Double)
    private let scheduler = ManualScheduler()
    private let state: Locked<State>
    private let isObserved: Bool

    /// - Parameter kinds: The policies, outermost first; nil: some.
    init(seed: UInt64, kinds: [RandomLayer.Kind]? = nil) {
        self.seed = seed
        var dice = SeededGenerator(seed: seed)
        capacity = Int.random(in: 0...1, using: &dice) * 10
        share = Double(Int.random(in: 0...4, using: &dice)) / 4
        let budget = RetryBudget(capacity: capacity, retriesPerSuccess: share)
        var site = RandomLayer.Site(scheduler: scheduler, budget: budget, dice: dice)
        layers =
            kinds.map { $0.map { RandomLayer.make($0, at: &site) } }
            ?? (0..<site.number(1...6)).map { _ in RandomLayer.draw(at: &site) }
        isObserved = site.isTails()
        state = Locked(
            State(
                dice: site.dice, entries: Array(repeating: 0, count: layers.count + 1),
                goodEnds: Array(repeating: 0, count: layers.count + 1)))
    }

    /// The stack's name in a report.
    var name: String {
        "seed \(seed): " + layers.map(\.name).joined(separator: ", ")
            + (isObserved ? ", observed" : "")
    }

    /// The events, line by line: the same seed gives the same lines.
    var transcript: [String] { state.withLock { $0.transcript } }
    /// The results of the calls.
    var results: [Result<Int, any Error>] {
        state.withLock { $0.calls.values.flatMap { $0.ends.map(\.result) } }
    }
    /// The number of calls that reached the service, less the number of calls made.
    var extraCalls: Int {
        state.withLock { state in max(0, (state.entries.last ?? 0) - state.calls.count) }
    }

    /// Makes the calls, and runs until they end.
    ///
    /// - Returns: The violations of the guarantees.
    func go() -> [String] {
        let upstream = RandomUpstream(on: scheduler, seed: seed ^ 0xA5A5) { self.cancelAny() }
        let service = makeStack(over: upstream)
        for index in 0..<draw(1...8) {
            let start = draw(0...120)
            scheduler.schedule(after: .milliseconds(start)) { self.begin(index, service) }
            if draw(0...9) < 3 {
                scheduler.schedule(after: .milliseconds(start + draw(0...200))) {
                    self.cancel(index)
                }
            }
        }
        scheduler.advance(by: .seconds(3))
        for index in state.withLock({ $0.calls.keys.sorted() }) { cancel(index) }
        var faults = scheduler.isIdle ? [] : ["something is scheduled, and nobody waits"]
        scheduler.run()
        faults += faultsOfCalls(upstream) + faultsOfLayers(upstream) + faultsAtTheEnd(upstream)
        faults += faultsOfEvidence(upstream) + faultsOfRefusals(upstream)
        // The latency of chaos is not cut to the deadline.
        let isLatencyInjected = layers.contains { $0.name.hasPrefix("chaos") }
        faults += upstream.faults.filter { !isLatencyInjected || !$0.hasSuffix("deadline") }
        return faults
    }

    private func makeStack(over upstream: RandomUpstream) -> Service<Ask, Int> {
        var service = count(layers.count, upstream.send)
        for (index, layer) in layers.enumerated().reversed() {
            service = count(index, layer.middleware(service))
        }
        guard isObserved else { return service }
        let observer = ServiceObserver { event in
            switch event.kind {
            case .began: self.state.withLock { $0.openSpans += 1 }
            case .ended: self.state.withLock { $0.openSpans -= 1 }
            default: break
            }
        }
        return stack(.observed(by: observer, on: scheduler), over: service)
    }

    private func count(
        _ index: Int, _ service: @escaping Service<Ask, Int>
    ) -> Service<Ask, Int> {
        { ask in
            self.state.withLock { $0.entries[index] += 1 }
            return service(ask).onEnd { result in
                if Classifier<Int>.standard(result).health == .unhealthy { return }
                self.state.withLock { $0.goodEnds[index] += 1 }
            }
        }
    }

    private func draw(_ range: ClosedRange<Int>) -> Int {
        state.withLock { .random(in: range, using: &$0.dice) }
    }
}

// MARK: - Calls

extension RandomStackRun {
    private func begin(_ index: Int, _ service: Service<Ask, Int>) {
        let luggage = Luggage()
        let ask = Ask(index * 3 + draw(0...2), isReplayable: draw(0...4) > 0, luggage: luggage)
        let now = scheduler.now.offset
        let time = draw(0...2) == 0 ? Duration.milliseconds(draw(1...150)) : nil
        state.withLock {
            $0.calls[index] = Call(
                isReplayable: ask.isReplayable, luggage: WeakLuggage(luggage: luggage),
                key: RandomLayer.key(ask), begun: now, hasDeadline: time != nil)
        }
        let context = CallContext(deadline: time.map { CallDeadline(after: $0, on: scheduler) })
        let future = RandomUpstream.Caller.$number.withValue(index) {
            context.run { service(ask) }
        }
        state.withLock { $0.calls[index]?.future = future }
        future.observe { self.end(index, $0) }
    }

    private func end(_ index: Int, _ result: Result<Int, any Error>) {
        let now = scheduler.now.offset
        state.withLock { state in
            state.calls[index]?.ends.append((result, now))
            state.transcript.append("\(now) \(index) \(result)")
        }
    }

    private func cancel(_ index: Int) {
        let future = state.withLock { state in
            if state.calls[index]?.future != nil { state.calls[index]?.isCancelled = true }
            return state.calls[index]?.future
        }
        future?.cancel()
    }

    /// A caller cancels while the service is being called, for that caller or for another one.
    private func cancelAny() { cancel(draw(0...7)) }
}

// MARK: - What is to hold

extension RandomStackRun {
    private func faultsOfCalls(_ upstream: RandomUpstream) -> [String] {
        let arrivals = Dictionary(grouping: upstream.arrivals) { $0.number / 3 }
        let most = layers.map(\.factor).reduce(1, *)
        return state.withLock { state in
            state.calls.sorted { $0.key < $1.key }.flatMap { index, call in
                let made = arrivals[index]?.count ?? 0
                let bound = call.isReplayable ? most : 1
                let tooMany =
                    made > bound
                    ? ["call \(index) reached the service \(made) times, \(bound) allowed"] : []
                return tooMany + faults(of: call).map { "call \(index) \($0)" }
            }
        }
    }

    private func faults(of call: Call) -> [String] {
        guard let end = call.ends.first, call.ends.count == 1 else {
            return ["settled \(call.ends.count) times"]
        }
        var faults: [String] = []
        switch end.result {
        case .success(let value):
            if value >= 0, value / 1_000 != call.key { faults.append("got another's \(value)") }
        case .failure(let error):
            if error is CancellationError, !call.isCancelled {
                faults.append("was cancelled by nobody")
            }
        }
        let time = end.instant - call.begun
        if let limit = layers.first?.limit, time > limit { faults.append("took \(time)") }
        return faults
    }

    private func faultsOfLayers(_ upstream: RandomUpstream) -> [String] {
        let (entries, goodEnds) = state.withLock { ($0.entries, $0.goodEnds) }
        var faults: [String] = []
        var (deposits, withdrawals, refunds) = (0, 0, 0)
        for (index, layer) in layers.enumerated() {
            let (above, beneath) = (entries[index], entries[index + 1])
            if beneath > above * layer.factor {
                faults.append("\(layer.name) made \(beneath) calls of \(above)")
            }
            if layer.budget == .depositing { deposits += above }
            if layer.budget != .none {
                withdrawals += beneath - above
                // The success of a hedged call puts back what all its hedges took.
                refunds += goodEnds[index + 1] * (layer.factor - 1)
            }
            let most = layers[(index + 1)...].map(\.factor).reduce(layer.places ?? 0, *)
            if layer.places != nil, upstream.peak > most {
                faults.append("\(upstream.peak) in flight beneath \(layer.name), \(most) allowed")
            }
        }
        if Double(withdrawals - refunds) > Double(capacity) + share * Double(deposits) {
            faults.append("\(withdrawals) further calls, \(deposits) deposits of \(share)")
        }
        return faults
    }

    /// Evidence is only what was sent: no breaker opens if no call that reached the service failed.
    private func faultsOfEvidence(_ upstream: RandomUpstream) -> [String] {
        if upstream.failures > 0 || layers.contains(where: \.cutsCalls) { return [] }
        return layers.filter { $0.isOpen() }.map { "\($0.name) is open, and no call has failed" }
    }

    /// A refusal beneath ends no work above that may still succeed.
    private func faultsOfRefusals(_ upstream: RandomUpstream) -> [String] {
        if layers.contains(where: \.cutsCalls) { return [] }
        let calls = state.withLock { $0.calls }
        return calls.compactMap { index, call in
            guard let end = call.ends.first, !call.isCancelled, !call.hasDeadline,
                case .failure(let error as ServiceError) = end.result, error.isRefusal,
                upstream.wasCancelled(index, at: end.instant)
            else { return nil }
            return "call \(index) was cancelled by the refusal \(error.code)"
        }
    }

    private func faultsAtTheEnd(_ upstream: RandomUpstream) -> [String] {
        let (luggage, spans) = state.withLock { state in
            for index in state.calls.keys { state.calls[index]?.future = nil }
            return (state.calls.values.map(\.luggage), state.openSpans)
        }
        var faults = layers.filter { !$0.isVacant() }.map { "\($0.name) is not vacant" }
        if !scheduler.isIdle { faults.append("the scheduler is not idle") }
        if upstream.inFlight != 0 { faults.append("\(upstream.inFlight) calls are in flight") }
        if upstream.living != 0 { faults.append("\(upstream.living) promises are alive") }
        if spans != 0 { faults.append("\(spans) spans are open") }
        let inputs = luggage.count { $0.luggage != nil }
        if inputs != 0 { faults.append("\(inputs) inputs are alive") }
        return faults
    }
}

/// A service whose calls end in random ways, or never.
final class RandomUpstream: Sendable {
    /// One call as it arrived.
    struct Arrival: Sendable {
        /// The number in the input.
        let number: Int
        let promise: Upstream.WeakPromise
    }

    /// The caller's number, a task-local value.
    enum Caller {
        @TaskLocal static var number: Int?
    }

    private struct State {
        /// What arrived wrongly.
        var faults: [String] = []
        /// The calls that were cancelled, with their times.
        var cancelled: [(number: Int, at: Duration)] = []
        /// How many calls ended as failures of the service.
        var failures = 0
        var dice: SeededGenerator
        var arrivals: [Arrival] = []
        var inFlight = 0
        var peak = 0
        /// The promises of calls that never settle.
        var held: [Promise<Int>] = []
    }

    private let scheduler: ManualScheduler
    private let state: Locked<State>
    /// Called during some calls, before the service returns.
    private let interrupt: @Sendable () -> Void

    init(
        on scheduler: ManualScheduler, seed: UInt64, interrupt: @escaping @Sendable () -> Void
    ) {
        self.scheduler = scheduler
        self.interrupt = interrupt
        state = Locked(State(dice: SeededGenerator(seed: seed)))
    }

    var faults: [String] { state.withLock { $0.faults } }
    var failures: Int { state.withLock { $0.failures } }

    /// Whether a call of a number was cancelled at an instant.
    func wasCancelled(_ index: Int, at instant: Duration) -> Bool {
        state.withLock { $0.cancelled.contains { $0.number / 3 == index && $0.at == instant } }
    }

    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    var inFlight: Int { state.withLock { $0.inFlight } }
    /// The maximum number of calls in flight at a time.
    var peak: Int { state.withLock { $0.peak } }
    /// How many of the returned promises are still alive.
    var living: Int { arrivals.count { $0.promise.promise != nil } }

    @Sendable func send(_ ask: Ask) -> Future<Int> {
        let promise = Promise<Int>()
        note(ask)
        let (kind, delay, value) = state.withLock { state in
            state.inFlight += 1
            state.peak = max(state.peak, state.inFlight)
            state.arrivals.append(
                Arrival(number: ask.number, promise: Upstream.WeakPromise(promise: promise)))
            return (
                Int.random(in: 0..<100, using: &state.dice),
                Duration.milliseconds(Int.random(in: 0...40, using: &state.dice)),
                RandomLayer.key(ask) * 1_000 + state.arrivals.count
            )
        }
        let asked = Advised(advisedOutcome: .retryable(after: delay * 2))
        switch kind {
        case 0..<35: end(promise, .success(value), after: delay, of: ask.number)
        case 35..<45: finish(promise, .success(value))
        case 45..<57: end(promise, .failure(Broken()), after: delay, of: ask.number)
        case 57..<62: finish(promise, .failure(Broken()))
        case 62..<72: end(promise, .failure(asked), after: delay / 2, of: ask.number)
        case 72..<77:
            end(promise, .failure(Advised(advisedOutcome: .failure)), after: delay, of: ask.number)
        case 77..<80: end(promise, .failure(FutureError(.abandoned)), after: delay, of: ask.number)
        case 80..<88: end(promise, .success(value), after: delay * 40, of: ask.number)
        case 88..<92:
            interrupt()
            end(promise, .success(value), after: delay, of: ask.number)
        default: hold(promise, of: ask.number)
        }
        return promise
    }

    private func note(_ ask: Ask) {
        let (remaining, caller) = (CallContext.current.remaining, Caller.number)
        state.withLock { state in
            if let remaining, remaining <= .zero {
                state.faults.append("call \(ask.number / 3) was sent after its deadline")
            }
            if caller != ask.number / 3 {
                state.faults.append("call \(ask.number / 3) was sent as \(caller ?? -1)")
            }
        }
    }

    /// Ends a call after a delay.
    private func end(
        _ promise: Promise<Int>, _ result: Result<Int, any Error>, after delay: Duration,
        of number: Int
    ) {
        let timer = scheduler.schedule(after: delay) { self.finish(promise, result) }
        promise.onCancel {
            timer.cancel()
            self.noteCancellation(of: number)
        }
    }

    private func finish(_ promise: Promise<Int>, _ result: Result<Int, any Error>) {
        let isFailure = Classifier<Int>.standard(result).health == .unhealthy
        state.withLock { state in
            state.inFlight -= 1
            if isFailure { state.failures += 1 }
        }
        switch result {
        case .success(let value): promise.resolve(with: value)
        case .failure(let error): promise.reject(with: error)
        }
    }

    private func hold(_ promise: Promise<Int>, of number: Int) {
        state.withLock { $0.held.append(promise) }
        promise.onCancel { [weak promise] in
            self.noteCancellation(of: number)
            self.state.withLock { $0.held.removeAll { $0 === promise } }
        }
    }

    private func noteCancellation(of number: Int) {
        let now = scheduler.now.offset
        state.withLock { state in
            state.inFlight -= 1
            state.cancelled.append((number, now))
        }
    }
}
