import Futures

/// A call on its way to a host, in its queue, with a worker, or on its way back.
final class SimulatedCall: SimulatedEvent, @unchecked Sendable {
    private enum Phase {
        case arriving
        case working
        case answering(SimulatedFailure.Code?)
    }

    let promise = Promise<SimulatedResponse>()
    /// When it came to the host.
    var arrived: Nanoseconds = 0
    /// Its index among the calls that the host works on.
    var workIndex = 0
    private unowned let host: SimulatedHost
    private var phase = Phase.arriving

    private let abandoned = AbandonedFlag()

    init(to host: SimulatedHost) {
        self.host = host
        promise.onCancel { [abandoned] in abandoned.isSet = true }
    }

    /// Whether its caller has given it up.
    var isAbandoned: Bool { abandoned.isSet }

    override func happen() {
        switch phase {
        case .arriving: host.receive(self)
        case .working: host.finish(self)
        case .answering(let failure): settle(with: failure)
        }
    }

    /// Is worked on from now on, until its event happens.
    func begin() { phase = .working }

    /// Is on its way back: to be called again as an event, or at once.
    func answer(with failure: SimulatedFailure.Code?) { phase = .answering(failure) }

    private func settle(with failure: SimulatedFailure.Code?) {
        if let failure {
            promise.reject(with: SimulatedFailure(code: failure, host: host.number))
        } else {
            promise.resolve(with: SimulatedResponse(host: host.number))
        }
    }
}

/// Whether a caller has given a call up: an object of its own, so that a promise does not hold its call.
private final class AbandonedFlag: @unchecked Sendable {
    var isSet = false
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
