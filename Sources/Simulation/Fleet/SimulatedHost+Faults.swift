import PledgeFutures

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
        statistics.note(-load, at: scheduler.time)
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

    var isPaused: Bool { pauseEnd > scheduler.time }
}

/// The end of a pause: what waits is begun.
private final class EndOfPause: SimulatedEvent {
    let host: SimulatedHost

    init(of host: SimulatedHost) { self.host = host }

    override func happen() { host.beginWaiting() }
}
