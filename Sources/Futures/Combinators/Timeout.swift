extension Future {
    /// Fails if there is no result in time.
    ///
    /// - Parameters:
    ///   - duration: The time to wait, from now. Zero or less means as soon as the scheduler can.
    ///   - scheduler: The clock.
    ///   - fileID: The file that the error names; leave it out.
    ///   - line: The line that the error names; leave it out.
    /// - Returns: The result of this future, or a failure with ``FutureError/Code/timedOut``. When the time is over,
    ///   the returned future gives up its interest in this future, as if it were cancelled. If the result comes first,
    ///   the timer is cancelled.
    public final func timeout(
        _ duration: Duration, on scheduler: some FutureScheduler = .live,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        timed(at: CodeLocation(fileID: fileID, line: line), expiring: nil) {
            scheduler.schedule(after: duration, $0)
        }
    }

    /// Fails with the caller's error if there is no result in time.
    ///
    /// In all other respects, it works like ``timeout(_:on:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - duration: The time to wait, from now.
    ///   - scheduler: The clock.
    ///   - error: Makes the error, on the scheduler's thread. It is also called if the result arrives at the same
    ///     moment, and the error is then not used.
    package final func timeout(
        _ duration: Duration, on scheduler: some FutureScheduler,
        failingWith error: @escaping @Sendable () -> any Error
    ) -> Future<Value> {
        timed(expiring: { _ in .failed(error()) }) { scheduler.schedule(after: duration, $0) }
    }

    /// Fails if there is no result in time, or gives it more time.
    ///
    /// In all other respects, it works like ``timeout(_:on:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - location: The place that the default error names.
    ///   - expire: Decides what happens when the time is over, on the scheduler's thread; nil to fail with the default
    ///     error. It is also called if the result arrives at the same moment, and the error is then not used.
    ///   - setTimer: Sets a timer that calls the passed function when the time is over.
    package final func timed(
        at location: CodeLocation? = nil, expiring expire: TimeoutRule?,
        by setTimer: (@escaping @Sendable () -> Void) -> any ScheduledAction
    ) -> Future<Value> {
        if hasSettled { return self }
        let future = TimedFuture<Value>(at: location, expiring: expire)
        enroll(future.retained())
        future.keep(setTimer(future.expiry))
        return future
    }

    /// Passes the value on after a delay.
    ///
    /// - Parameters:
    ///   - duration: The delay, from the arrival of the value.
    ///   - scheduler: The clock.
    ///   - fileID: The file that the error names if the future is abandoned; leave it out.
    ///   - line: The line that the error names if the future is abandoned; leave it out.
    /// - Returns: The value of this future, later, on the scheduler's thread. A failure passes at once. The returned
    ///   future doesn't keep the scheduler alive. If the scheduler is released before the delay is over, the returned
    ///   future fails as abandoned.
    public final func delay(
        _ duration: Duration, on scheduler: some FutureScheduler = .live,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        let location = CodeLocation(fileID: fileID, line: line)
        let future = DelayedFuture<Value>(duration, on: scheduler, at: location)
        enroll(future.retained())
        return future
    }
}

/// What happens when the time of a future is over.
package enum TimeoutDecision {
    /// There is more time; the timer calls the function that `TimeoutRule` got.
    case renewed(any ScheduledAction)
    case failed(any Error)
}

/// Decides what happens when a future's time is over; gets the function that a new timer calls.
package typealias TimeoutRule = @Sendable (@escaping @Sendable () -> Void) -> TimeoutDecision

/// The future that `timeout` returns.
final class TimedFuture<Value: Sendable>: TimerFuture<Value>, @unchecked Sendable {
    private let location: CodeLocation?
    /// Decides what happens when the time is over; nil for the default error.
    private let expire: TimeoutRule?

    init(at location: CodeLocation?, expiring expire: TimeoutRule?) {
        self.location = location
        self.expire = expire
        super.init(deliver: Self.deliverByOverride)
    }

    override func receive(_ source: FutureNode) {
        let source = unsafeDowncast(source, to: Future<Value>.self)
        guard lockIfPending() else { return waitUntilDetached() }
        attachment = source.attachment
        // The value is read only if the source has succeeded. If the source was given up, the thread that delivers to
        // the source may be removing the value at this moment.
        if failure == nil { storage = source.storage }
        let list = list
        unlock(to: failure == nil ? StateWord.value : StateWord.failure)
        // The timer is cancelled before any observer is called.
        timer?.cancel()
        if list != 0 { passOn(list) }
    }

    override func timeIsOver() {
        switch expire?(expiry) {
        case .renewed(let timer): keep(timer)
        case .failed(let error): abort(with: Failure(error))
        case nil: abort(with: Failure(FutureError(.timedOut, at: location)))
        }
    }

    override var origin: CodeLocation? { location }

    override var endsByItself: Bool { true }
}

/// The future that `delay` returns.
final class DelayedFuture<Value: Sendable>: TimerFuture<Value>, @unchecked Sendable {
    private let duration: Duration
    private let location: CodeLocation
    /// The scheduler; nil once the timer is set or not needed.
    ///
    /// Only one thread uses it: the thread that delivers to this node or, if this node was given up, the thread that
    /// calls `dropClosure`.
    private var scheduler: WeakScheduler?

    init(_ duration: Duration, on scheduler: any FutureScheduler, at location: CodeLocation) {
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
        // From now on, this future waits only for the timer, so the source may be released.
        guard lockIfPending() else { return waitUntilDetached() }
        upstream = nil
        unlock()
        // The timer keeps the value, so the value is released with the timer if this future is cancelled. The timer
        // also keeps the resolver. If the scheduler is released and discards the timer, the resolver is released too,
        // and this future fails.
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

/// A reference that doesn't keep the scheduler alive, if the scheduler is an object.
///
/// With a strong reference, a chain of two delays would keep its scheduler alive: the scheduler holds the timer of the
/// first delay, the timer holds the future of the first delay, and this future holds the future of the second delay,
/// which refers to the scheduler. The live scheduler is never released, so the reference to it is strong. A weak
/// reference would cost an allocation.
private struct WeakScheduler {
    private weak var object: (any FutureScheduler & AnyObject)?
    private let other: (any FutureScheduler)?

    init(_ scheduler: any FutureScheduler) {
        if type(of: scheduler) is AnyClass, !(scheduler is LiveScheduler) {
            object = scheduler as? any FutureScheduler & AnyObject
            other = nil
        } else {
            other = scheduler
        }
    }

    var value: (any FutureScheduler)? { other ?? object }
}

class TimerFuture<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// The timer; guarded by this node's lock while pending, then used only by the thread that settled this node.
    @exclusivity(unchecked) final var timer: (any ScheduledAction)?

    /// Keeps the timer until this future settles, or cancels it if this future has already settled.
    final func keep(_ timer: consuming any ScheduledAction) {
        guard lockIfPending() else { return timer.cancel() }
        self.timer = timer
        unlock()
    }

    override func dropWaits(into cancellation: inout Cancellation) {
        if let timer = timer.take() { cancellation.cancel(timer) }
    }
}

extension FutureNode {
    /// A closure that tells this future that its time is over.
    ///
    /// Because no generic function creates it, the closure captures only this object. Swift then uses the object itself
    /// as the closure's context, and allocates nothing.
    final var expiry: @Sendable () -> Void { { [self] in timeIsOver() } }
}
