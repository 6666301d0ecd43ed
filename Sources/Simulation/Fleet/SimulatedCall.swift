import PledgeFutures
import PledgeServices

/// A call on its way to a host, in the queue, with a worker, or on its way back.
final class SimulatedCall: SimulatedEvent, @unchecked Sendable {
    // Unchecked: only the simulation's thread uses a call, except that another thread may cancel the promise. That runs
    // `stopWork`, which then only notes an error.
    private enum Phase {
        case arriving
        case working
        case answering(SimulatedFailure.Code?)
    }

    let promise = InternalPromise<SimulatedResponse>()
    let request: SimulatedRequest
    /// Nil for a client.
    let origin: Int?
    /// When the call reached the host.
    var arrived: Nanoseconds = 0
    /// When the caller stops waiting; `Nanoseconds.max` if the host doesn't know.
    var deadline = Nanoseconds.max
    /// The call's index among those in work.
    var workIndex = 0
    var hasWorker = false
    /// The call to another host that must end before this one can be answered.
    var downstream: ObserverToken?
    /// The host holds the call too; the cycle ends when the host is done with the call, at the latest at the end of the
    /// simulation.
    private let host: SimulatedHost
    private var phase = Phase.arriving

    init(_ request: SimulatedRequest, from origin: Int?, to host: SimulatedHost) {
        self.request = request
        self.origin = origin
        self.host = host
        super.init()
        // Even an empty handler has an effect: the promise then settles when its last waiter cancels.
        if host.settings.finishesAbandonedCalls {
            promise.onCancel {}
        } else {
            promise.onCancel { [weak self] in self.map { $0.host.stopWork(on: $0) } }
        }
    }

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

    /// The next event is the end of the service time.
    func begin() { phase = .working }

    /// The next event is the answer's arrival at the caller; the host runs it later, or at once.
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

/// Waiting calls; taking from either end costs constant time.
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
