import Futures
import Services

/// A host of a simulation: workers, and a queue before them.
///
/// A scenario changes it while it runs:
///
/// ```swift
/// scenario.at(.seconds(30)) { $0.host(3).slow(by: 10) }
/// ```
///
/// It belongs to the thread of its simulation.
public final class SimulatedHost: @unchecked Sendable {
    /// Its number, from 0.
    public let number: Int

    /// What it does from now on; calls that are worked on keep their time.
    public var settings: HostSettings

    /// Whether it takes calls.
    public private(set) var isUp = true

    /// How many calls are worked on.
    public var callsInWork: Int { working.count }

    /// How many calls wait for a worker.
    public var callsWaiting: Int { waiting.count }

    private(set) var statistics = HostStatistics()
    private let scheduler: SimulationScheduler
    private var generator: SeededGenerator
    private var slowness = 1.0
    private var pauseEnd: Nanoseconds = 0
    private var started: Nanoseconds = .min
    private var waiting = WaitingCalls()
    private var working: ContiguousArray<SimulatedCall> = []
    /// Calls of which a message was lost, kept because a promise that is released rejects.
    private var unanswered: ContiguousArray<SimulatedCall> = []

    init(
        _ number: Int, _ settings: HostSettings, on scheduler: SimulationScheduler,
        _ generator: SeededGenerator
    ) {
        self.number = number
        self.settings = settings
        self.scheduler = scheduler
        self.generator = generator
    }

    /// Takes a call on its way to this host.
    func call() -> Future<SimulatedResponse> {
        let call = SimulatedCall(to: self)
        let latency = settings.latency.sample(&generator)
        if latency == 0 { receive(call) } else { scheduler.add(call, after: latency) }
        return call.promise
    }
}

// MARK: - Faults

extension SimulatedHost {
    /// Makes its work take longer, from now on.
    ///
    /// - Parameter factor: How many times as long; 1 ends it. 0 or less is a programming error and traps.
    public func slow(by factor: Double) {
        precondition(factor > 0, "a host is slowed by a factor above 0, not \(factor)")
        slowness = factor
    }

    /// Stops its work for a while, as a collection of garbage does; what comes meanwhile waits.
    public func pause(for time: Duration) {
        pauseEnd = max(pauseEnd, scheduler.time.adding(max(Nanoseconds(time), 0)))
        scheduler.add(EndOfPause(of: self), after: pauseEnd - scheduler.time)
    }

    /// Goes down: the calls that it has fail with ``SimulatedFailure/Code/connectionLost``, and new ones with
    /// ``SimulatedFailure/Code/unreachable``.
    public func stop() {
        isUp = false
        statistics.note(-(working.count + waiting.count), at: scheduler.time)
        var lost = working
        working = []
        while let call = waiting.popFirst() { lost.append(call) }
        for call in lost {
            scheduler.remove(call)
            answer(call, with: .connectionLost)
        }
    }

    /// Takes calls again, slower at first as its ``HostSettings/warmUp`` says.
    public func start() {
        isUp = true
        started = scheduler.time
    }

    /// Goes down for a while.
    public func restart(after time: Duration) {
        stop()
        scheduler.schedule(after: time) { [self] in start() }
    }
}

// MARK: - Work

extension SimulatedHost {
    private var isPaused: Bool { scheduler.time < pauseEnd }

    func receive(_ call: SimulatedCall) {
        statistics.received += 1
        if settings.lossRate > 0, generator.uniform() < settings.lossRate {
            statistics.lost += 1
            unanswered.append(call)
            return
        }
        guard isUp else { return answer(call, with: .unreachable) }
        call.arrived = scheduler.time
        if working.count < settings.workers, waiting.count == 0, !isPaused {
            statistics.note(1, at: scheduler.time)
            return begin(call)
        }
        guard waiting.count < settings.queueLimit else {
            statistics.refused += 1
            return answer(call, with: .queueFull)
        }
        statistics.note(1, at: scheduler.time)
        waiting.append(call)
    }

    private func begin(_ call: SimulatedCall) {
        call.begin()
        call.workIndex = working.count
        working.append(call)
        let time = Double(settings.serviceTime.sample(&generator)) * slowness * warmUpFactor
        scheduler.add(call, after: Nanoseconds(min(time, 9e18).rounded()))
    }

    func finish(_ call: SimulatedCall) {
        if isPaused { return scheduler.add(call, after: pauseEnd - scheduler.time) }
        let last = working.removeLast()
        if last !== call {
            working[call.workIndex] = last
            last.workIndex = call.workIndex
        }
        statistics.note(-1, at: scheduler.time)
        statistics.finish(call, at: scheduler.time)
        beginWaiting()
        let hasFailed = settings.failureRate > 0 && generator.uniform() < settings.failureRate
        answer(call, with: hasFailed ? .failed : nil)
    }

    /// Begins calls that wait, as long as there is a worker.
    fileprivate func beginWaiting() {
        while isUp, !isPaused, working.count < settings.workers,
            let next = settings.queueOrder == .firstInFirstOut
                ? waiting.popFirst() : waiting.popLast()
        {
            if next.isAbandoned, !settings.finishesAbandonedCalls {
                statistics.note(-1, at: scheduler.time)
                continue
            }
            begin(next)
        }
    }

    private func answer(_ call: SimulatedCall, with failure: SimulatedFailure.Code?) {
        call.answer(with: failure)
        let latency = settings.latency.sample(&generator)
        if latency == 0 { call.happen() } else { scheduler.add(call, after: latency) }
    }

    /// How many times as long its work takes because it has started lately.
    private var warmUpFactor: Double {
        let (time, factor) = (Double(Nanoseconds(settings.warmUp.time)), settings.warmUp.factor)
        if time <= 0 || started == .min { return 1 }
        let part = Double(scheduler.time - started) / time
        return part >= 1 ? 1 : factor + (1 - factor) * part
    }
}

/// The end of a pause: what waits is begun.
private final class EndOfPause: SimulatedEvent {
    let host: SimulatedHost

    init(of host: SimulatedHost) { self.host = host }

    override func happen() { host.beginWaiting() }
}
