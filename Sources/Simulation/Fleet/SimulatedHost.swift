import PledgeFutures
import PledgeServices

/// A host of a simulation: workers, with a queue in front of them.
///
/// A scenario can change a host during the run:
///
/// ```swift
/// scenario.at(.seconds(30)) { $0.host(3).slow(by: 10) }
/// ```
///
/// Use it only in the simulation's own events. The thread isn't checked.
public final class SimulatedHost: @unchecked Sendable {
    /// The host's number, from 0.
    package let number: Int

    /// The host's name: ``HostSettings/name`` at the start of the run, or one like "host 0".
    package let name: String

    /// The host's behaviour, which a scenario can change during the run.
    ///
    /// If a worker has already begun a call, a change doesn't affect the call's service time.
    public var settings: HostSettings

    /// True if the host takes calls.
    package internal(set) var isUp = true

    /// The number of calls that the host works on, including calls that wait for another host's answer.
    package var callsInWork: Int { working.count }

    /// The number of calls that wait for a worker.
    public var callsWaiting: Int { waiting.count }

    // Unchecked: all this belongs to the simulation's thread. The network refuses calls from other threads, and
    // whatever ends or cancels a call checks the thread. Checks for overlapping accesses are off: only one event runs
    // at a time, and the checks would take a tenth of a simulation's time.
    @exclusivity(unchecked) var statistics = HostStatistics()
    let scheduler: SimulationScheduler
    @exclusivity(unchecked) var generator: SeededGenerator
    var slowness = 1.0
    var pauseEnd: Nanoseconds = 0
    var started: Nanoseconds = .min
    @exclusivity(unchecked) var waiting = WaitingCalls()
    @exclusivity(unchecked) var working: ContiguousArray<SimulatedCall> = []
    var busyWorkers = 0
    /// Calls that lost a message, kept because releasing one would reject its promise, and the caller must get no
    /// answer.
    private var unanswered: ContiguousArray<SimulatedCall> = []
    /// Nil once the simulation has ended.
    var network: FleetNetwork?
    /// Calls another host for a call that this host works on.
    var downstream: (@Sendable (SimulatedRequest) -> Future<Void>)?

    init(
        _ number: Int, _ settings: HostSettings, on scheduler: SimulationScheduler,
        _ generator: SeededGenerator
    ) {
        self.number = number
        name = settings.name ?? "host \(number)"
        self.settings = settings
        self.scheduler = scheduler
        self.generator = generator
    }

    /// True if a caller waits for a lost answer.
    var owesAnswers: Bool { unanswered.contains { !$0.isAbandoned } }

    /// How many calls are in work or waiting.
    var load: Int { working.count + waiting.count }

    /// Sends a call on its way to this host.
    func call(_ request: SimulatedRequest, from origin: Int?) -> Future<SimulatedResponse> {
        let call = SimulatedCall(request, from: origin, to: self)
        if settings.knowsDeadlines, let rest = CallContext.current.remaining {
            call.deadline = scheduler.time.adding(Nanoseconds(rest))
        }
        let latency = settings.latency.sample(&generator)
        if latency == 0 { receive(call) } else { scheduler.add(call, after: latency) }
        return call.promise
    }

    /// Sends an answer on its way to the caller.
    func answer(_ call: SimulatedCall, with failure: SimulatedFailure.Code?) {
        if losesMessage { return lose(call) }
        call.answer(with: failure)
        let latency = settings.latency.sample(&generator)
        if latency == 0 { call.happen() } else { scheduler.add(call, after: latency) }
    }

    func failure(_ code: SimulatedFailure.Code) -> SimulatedFailure {
        SimulatedFailure(
            code: code, host: number, retryAfter: code == .queueFull ? settings.retryAfter : nil,
            name: settings.name)
    }

    /// Returns whether a partition separates the host from a call's caller.
    func isCut(from call: SimulatedCall) -> Bool {
        network?.isCut(between: call.origin, and: number) ?? false
    }

    /// Loses a message of a call, which then gets no answer.
    func lose(_ call: SimulatedCall) {
        statistics.lost += 1
        if !call.isAbandoned { unanswered.append(call) }
    }

    /// Cancels all calls, at the end of the simulation.
    func endRun() {
        downstream = nil
        network = nil
        while let call = waiting.popFirst() { call.discard() }
        while let call = working.popLast() { call.discard() }
        while let call = unanswered.popLast() { call.discard() }
    }

    /// Draws whether the next message is lost; each read draws anew.
    var losesMessage: Bool {
        settings.lossRate > 0 && generator.uniform() < settings.lossRate
    }
}

extension SimulatedHost {
    /// Slows the host's work from now on.
    ///
    /// - Parameter factor: How many times as long the work takes; 1 ends the slowness. 0 or less is a programming error
    ///   and traps.
    public func slow(by factor: Double) {
        precondition(factor > 0, "a host is slowed by a factor above 0, not \(factor)")
        slowness = factor
    }

    /// Pauses the host's work for a while, like a garbage collection.
    ///
    /// Calls that arrive meanwhile wait.
    public func pause(for time: Duration) {
        pauseEnd = max(pauseEnd, scheduler.time.adding(max(Nanoseconds(time), 0)))
        scheduler.add(EndOfPause(of: self), after: pauseEnd - scheduler.time)
    }

    /// Takes the host down.
    ///
    /// The calls in the host fail with ``SimulatedFailure/Code/connectionLost``. Calls that arrive later fail with
    /// ``SimulatedFailure/Code/unreachable``.
    public func stop() {
        isUp = false
        statistics.noteChange(-load, at: scheduler.time)
        var lost = working
        working = []
        busyWorkers = 0
        while let call = waiting.popFirst() { lost.append(call) }
        for call in lost {
            scheduler.remove(call)
            call.downstream.take()?.cancel()
            answer(call, with: .connectionLost)
        }
    }

    /// Brings the host up again.
    ///
    /// At first it is slower, as its ``HostSettings/warmUp`` says.
    public func start() {
        isUp = true
        started = scheduler.time
    }

    /// Takes the host down, and brings it up again after a while.
    public func restart(after time: Duration) {
        stop()
        scheduler.schedule(after: time) { [self] in start() }
    }

    var isPaused: Bool { pauseEnd > scheduler.time }
}

/// Begins the host's waiting calls at the end of a pause.
private final class EndOfPause: SimulatedEvent {
    let host: SimulatedHost

    init(of host: SimulatedHost) { self.host = host }

    override func happen() { host.beginWaiting() }
}

extension SimulatedHost {
    /// Begins, queues or refuses a call that has arrived.
    func receive(_ call: SimulatedCall) {
        statistics.received += 1
        if losesMessage || isCut(from: call) { return lose(call) }
        guard isUp else { return answer(call, with: .unreachable) }
        call.arrived = scheduler.time
        if busyWorkers < settings.workers, waiting.count == 0, !isPaused {
            statistics.noteChange(1, at: scheduler.time)
            return begin(call)
        }
        guard waiting.count < settings.queueLimit else {
            statistics.refused += 1
            return answer(call, with: .queueFull)
        }
        statistics.noteChange(1, at: scheduler.time)
        waiting.append(call)
    }

    private func begin(_ call: SimulatedCall) {
        call.begin()
        call.workIndex = working.count
        call.hasWorker = true
        working.append(call)
        busyWorkers += 1
        var time = settings.serviceTime.sample(&generator)
        let factor = slowness * warmUpFactor
        if factor != 1 { time = Nanoseconds(min(Double(time) * factor, 9e18).rounded()) }
        scheduler.add(call, after: time)
    }

    /// Ends a call's service time: answers it, or first calls another host.
    func finishWork(on call: SimulatedCall) {
        if isPaused { return scheduler.add(call, after: pauseEnd - scheduler.time) }
        let hasFailed = settings.failureRate > 0 && generator.uniform() < settings.failureRate
        guard let downstream, !hasFailed else {
            return finish(call, with: hasFailed ? .failed : nil)
        }
        if !settings.holdsWorkerWhileCalling {
            freeWorker(of: call)
            beginWaiting()
        }
        let future = CallContext(deadline: call.deadlineInContext(on: scheduler))
            .run { downstream(call.request) }
        call.downstream = future.observe { [self] result in
            guard scheduler.isOnItsThread else {
                return scheduler.noteError(SimulationError(.endOnAnotherThread))
            }
            if case .success = result {
                finish(call, with: nil)
            } else {
                finish(call, with: .downstreamFailed)
            }
        }
    }

    /// Frees the call's worker for another call, and answers.
    private func finish(_ call: SimulatedCall, with failure: SimulatedFailure.Code?) {
        guard leave(call) else { return }
        statistics.finish(call, at: scheduler.time)
        beginWaiting()
        answer(call, with: failure)
    }

    /// Ends the work on a call that its caller has cancelled.
    func stopWork(on call: SimulatedCall) {
        guard scheduler.isOnItsThread else {
            return scheduler.noteError(SimulationError(.endOnAnotherThread))
        }
        guard leave(call) else { return }
        scheduler.remove(call)
        call.downstream.take()?.cancel()
        beginWaiting()
    }

    /// Removes a call from those in work; returns false if it wasn't one of them.
    private func leave(_ call: SimulatedCall) -> Bool {
        guard call.workIndex < working.count, working[call.workIndex] === call else { return false }
        freeWorker(of: call)
        let last = working.removeLast()
        if last !== call {
            working[call.workIndex] = last
            last.workIndex = call.workIndex
        }
        statistics.noteChange(-1, at: scheduler.time)
        return true
    }

    private func freeWorker(of call: SimulatedCall) {
        if call.hasWorker { busyWorkers -= 1 }
        call.hasWorker = false
    }

    /// Begins waiting calls while a worker is free.
    func beginWaiting() {
        while isUp, !isPaused, busyWorkers < settings.workers, let next = nextOfQueue() {
            let isLate = next.deadline <= scheduler.time
            if isLate || (next.isAbandoned && !settings.finishesAbandonedCalls) {
                statistics.noteChange(-1, at: scheduler.time)
                if isLate { answer(next, with: .deadlinePassed) }
            } else {
                begin(next)
            }
        }
    }

    private func nextOfQueue() -> SimulatedCall? {
        settings.queueOrder == .firstInFirstOut ? waiting.popFirst() : waiting.popLast()
    }

    /// How much slower the host is while it warms up; 1 otherwise.
    private var warmUpFactor: Double {
        if started == .min { return 1 }
        let (time, factor) = (Double(Nanoseconds(settings.warmUp.time)), settings.warmUp.factor)
        if time <= 0 { return 1 }
        let part = Double(scheduler.time - started) / time
        return part >= 1 ? 1 : factor + (1 - factor) * part
    }
}
