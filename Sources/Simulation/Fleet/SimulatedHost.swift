import PledgeFutures
import PledgeServices

/// A host of a simulation: workers, and a queue before them.
///
/// A scenario changes it while it runs:
///
/// ```swift
/// scenario.at(.seconds(30)) { $0.host(3).slow(by: 10) }
/// ```
///
/// Use it in the simulation's own events; nothing checks that.
public final class SimulatedHost: @unchecked Sendable {
    /// Its number, from 0.
    public let number: Int

    /// Its name: ``HostSettings/name`` as the run began, or one like "host 0".
    public let name: String

    /// What it does from now on; calls that are worked on keep their time.
    public var settings: HostSettings

    /// Whether it takes calls.
    public internal(set) var isUp = true

    /// How many calls are worked on, with those for which it waits for another host.
    public var callsInWork: Int { working.count }

    /// How many calls wait for a worker.
    public var callsWaiting: Int { waiting.count }

    // Unchecked: everything here belongs to the thread of the simulation. Calls come through the network, which refuses
    // them on another thread; their ends, and callers that give up, check the thread. One event runs at a time: checks for
    // overlapping accesses would take a tenth of a simulation's time.
    @exclusivity(unchecked) var statistics = HostStatistics()
    let scheduler: SimulationScheduler
    @exclusivity(unchecked) var generator: SeededGenerator
    var slowness = 1.0
    var pauseEnd: Nanoseconds = 0
    var started: Nanoseconds = .min
    @exclusivity(unchecked) var waiting = WaitingCalls()
    @exclusivity(unchecked) var working: ContiguousArray<SimulatedCall> = []
    var busyWorkers = 0
    /// Calls of which a message was lost, kept because a promise that is released rejects.
    private var unanswered: ContiguousArray<SimulatedCall> = []
    /// Until the end of the simulation.
    var network: FleetNetwork?
    /// Calls another host, for a call that this one works on.
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

    /// Whether a caller waits for an answer that was lost.
    var owesAnswers: Bool { unanswered.contains { !$0.isAbandoned } }

    /// How many calls it has.
    var load: Int { working.count + waiting.count }

    /// Takes a call on its way to this host.
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

    /// The failure that a caller gets.
    func failure(_ code: SimulatedFailure.Code) -> SimulatedFailure {
        SimulatedFailure(
            code: code, host: number, retryAfter: code == .queueFull ? settings.retryAfter : nil,
            name: settings.name)
    }

    /// Whether messages between the host and a call's caller are lost.
    func isCut(from call: SimulatedCall) -> Bool {
        network?.isCut(between: call.origin, and: number) ?? false
    }

    /// Loses a message of a call, which gets no answer.
    func lose(_ call: SimulatedCall) {
        statistics.lost += 1
        if !call.isAbandoned { unanswered.append(call) }
    }

    /// Gives up all calls, at the end of the simulation.
    func end() {
        downstream = nil
        network = nil
        while let call = waiting.popFirst() { call.discard() }
        while let call = working.popLast() { call.discard() }
        while let call = unanswered.popLast() { call.discard() }
    }

    /// Draws whether a message is lost.
    var losesMessage: Bool {
        settings.lossRate > 0 && generator.uniform() < settings.lossRate
    }
}
