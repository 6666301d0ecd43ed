import PledgeFutures
import PledgeServices

/// A call on its way to a host, in its queue, with a worker, or on its way back.
final class SimulatedCall: SimulatedEvent, @unchecked Sendable {
    // Unchecked: belongs to its host's thread. `stopWork`, which any thread may reach through the promise, checks that.
    private enum Phase {
        case arriving
        case working
        case answering(SimulatedFailure.Code?)
    }

    let promise = InternalPromise<SimulatedResponse>()
    let request: SimulatedRequest
    /// The host that made it; nil for a client.
    let origin: Int?
    /// When it came to the host.
    var arrived: Nanoseconds = 0
    /// When its caller stops waiting, where the host knows that.
    var deadline = Nanoseconds.max
    /// Its index among the calls that the host works on.
    var workIndex = 0
    /// Whether a worker is busy with it.
    var hasWorker = false
    /// What the host waits for: a call to another host.
    var downstream: FutureObservation?
    /// Held until the host has answered or given up the call, as it does at the end of the simulation.
    private let host: SimulatedHost
    private var phase = Phase.arriving

    init(_ request: SimulatedRequest, from origin: Int?, to host: SimulatedHost) {
        self.request = request
        self.origin = origin
        self.host = host
        super.init()
        // With a handler, a promise settles when its last waiter has given up.
        if host.settings.finishesAbandonedCalls {
            promise.onCancel {}
        } else {
            promise.onCancel { [weak self] in self.map { $0.host.stopWork(on: $0) } }
        }
    }

    /// Whether its caller has given it up.
    var isAbandoned: Bool { promise.isSettled }

    /// The deadline that calls to other hosts inherit.
    func deadlineInContext(on scheduler: SimulationScheduler) -> CallDeadline? {
        if deadline == .max { return nil }
        return CallDeadline(
            at: SchedulerInstant(offset: .nanoseconds(deadline)), on: scheduler)
    }

    override func happen() {
        switch phase {
        case .arriving: host.receive(self)
        case .working: host.finishWork(on: self)
        case .answering(let failure): settle(with: failure)
        }
    }

    override func discard() { promise.cancel() }

    /// Is worked on from now on, until its event happens.
    func begin() { phase = .working }

    /// Is on its way back: to be called again as an event, or at once.
    func answer(with failure: SimulatedFailure.Code?) { phase = .answering(failure) }

    private func settle(with failure: SimulatedFailure.Code?) {
        if host.isCut(from: self) { return host.lose(self) }
        if let failure {
            promise.reject(with: host.failure(failure))
        } else {
            promise.resolve(with: SimulatedResponse(host: host.number))
        }
    }
}

/// Calls that wait, of which either end can be taken, in constant time.
struct WaitingCalls {
    private var calls: ContiguousArray<SimulatedCall?> = []
    private var head = 0

    var count: Int { calls.count - head }

    mutating func append(_ call: SimulatedCall) { calls.append(call) }

    mutating func popFirst() -> SimulatedCall? {
        if head == calls.count { return nil }
        let first = calls[head].take()
        head += 1
        if head > 1_024, head > calls.count / 2 {
            calls.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func popLast() -> SimulatedCall? {
        head == calls.count ? nil : calls.removeLast()
    }
}
