extension Future {
    /// Passes the value on after a while.
    ///
    /// - Parameters:
    ///   - duration: How long the value is delayed, from its arrival.
    ///   - scheduler: The clock.
    ///   - fileID: The file that an abandoned error names; leave it out.
    ///   - line: The line that an abandoned error names; leave it out.
    /// - Returns: The value of this future, later, on the scheduler's thread. A failure passes at
    ///   once. If the scheduler, which this does not keep alive, is released before the delay is over, it fails as
    ///   abandoned.
    public final func delay(
        _ duration: Duration, on scheduler: some Scheduler = .live,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        let location = CodeLocation(fileID: fileID, line: line)
        let future = DelayedFuture<Value>(duration, on: scheduler, at: location)
        enroll(future.retained())
        return future
    }
}

/// The future of a delayed value.
final class DelayedFuture<Value: Sendable>: TimerFuture<Value>, @unchecked Sendable {
    private let duration: Duration
    private let location: CodeLocation
    /// Nil once the timer is set, or not needed.
    ///
    /// Belongs to the deliverer; see `FutureNode.dropClosure`.
    private var scheduler: WeakScheduler?

    init(_ duration: Duration, on scheduler: any Scheduler, at location: CodeLocation) {
        self.duration = duration
        self.location = location
        self.scheduler = WeakScheduler(scheduler)
        super.init(deliver: Self.deliverByOverride)
    }

    override func receive(_ source: FutureNode) {
        let source = unsafeDowncast(source, to: Future<Value>.self)
        let scheduler = scheduler
        self.scheduler = nil
        if let failure = source.failure {
            failDerived(failure)
            return
        }
        guard let scheduler = scheduler?.value else {
            failDerived(Failure(FutureError(.abandoned, at: location)))
            return
        }
        // From now on this waits only for the timer, and the source may be released.
        guard lockIfPending() else { return waitUntilDetached() }
        upstream = nil
        unlock()
        // The timer keeps the value, so that the value is released with the timer when this is cancelled. It
        // also keeps the resolver, so that this fails if the scheduler is released and discards the timer.
        let value = source.storage.unsafelyUnwrapped
        let resolver = Resolver(self, location: location)
        keep(
            scheduler.schedule(after: duration) {
                if resolver.resolve(with: value) { self.timer.take()?.cancel() }
            })
    }

    override func dropClosure() { scheduler = nil }

    override var origin: CodeLocation? { location }
}

/// A scheduler, which is not kept alive if it is an object.
///
/// The timer of a delay before this one may be in it: it would keep itself. The live scheduler is never released, and
/// needs no weak reference, which costs an allocation of its own.
private struct WeakScheduler {
    private weak var object: (any Scheduler & AnyObject)?
    private let other: (any Scheduler)?

    init(_ scheduler: any Scheduler) {
        if type(of: scheduler) is AnyClass, !(scheduler is LiveScheduler) {
            object = scheduler as? any Scheduler & AnyObject
            other = nil
        } else {
            other = scheduler
        }
    }

    var value: (any Scheduler)? { other ?? object }
}
