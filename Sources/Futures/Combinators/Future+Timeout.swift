extension Future {
    /// Fails if there is no result in time.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from now. Zero or less: as soon as the scheduler can.
    ///   - scheduler: The clock.
    ///   - fileID: The file that the error names; leave it out.
    ///   - line: The line that the error names; leave it out.
    /// - Returns: The result of this future, or a failure with ``FutureError/Code/timedOut``. When
    ///   the time is over, the interest in this future is given up, as ``cancel()`` does; when the
    ///   result comes first, the timer is cancelled.
    public final func timeout(
        _ duration: Duration, on scheduler: some Scheduler = .live,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        timed(duration, on: scheduler, at: CodeLocation(fileID: fileID, line: line), nil)
    }

    /// Fails with the caller's error if there is no result in time.
    ///
    /// Otherwise as ``timeout(_:on:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - newTimer: Called when the time is over, with a function that ends the new time; sets a timer for it,
    ///     or returns nil for no more time.
    ///   - error: Makes the error, on the scheduler's thread; also if the result arrives at the same moment, and
    ///     the error is not used.
    package final func timeout(
        _ duration: Duration, on scheduler: some Scheduler,
        extendingBy newTimer: TimerRenewal? = nil,
        failingWith error: @escaping @Sendable () -> any Error
    ) -> Future<Value> {
        timed(duration, on: scheduler, at: nil, error, extendingBy: newTimer)
    }

    final func timed(
        _ duration: Duration, on scheduler: some Scheduler, at location: CodeLocation?,
        _ error: (@Sendable () -> any Error)?,
        extendingBy newTimer: TimerRenewal? = nil
    ) -> Future<Value> {
        if hasSettled { return self }
        let future = TimedFuture<Value>(
            at: location, failingWith: error, extendingBy: newTimer)
        enroll(future.retained())
        future.keep(future.setTimer(duration, on: scheduler))
        return future
    }
}

/// Sets another timer, which calls the passed function; nil if the time is over.
package typealias TimerRenewal =
    @Sendable (@escaping @Sendable () -> Void) -> (any ScheduledAction)?

/// The future of a result in time.
final class TimedFuture<Value: Sendable>: TimerFuture<Value>, @unchecked Sendable {
    private let location: CodeLocation?
    /// Makes the error, if it is not the default one.
    private let error: (@Sendable () -> any Error)?
    private let newTimer: TimerRenewal?

    init(
        at location: CodeLocation?, failingWith error: (@Sendable () -> any Error)?,
        extendingBy newTimer: TimerRenewal?
    ) {
        self.location = location
        self.error = error
        self.newTimer = newTimer
        super.init(deliver: Self.deliverByOverride)
    }

    override func receive(_ source: FutureNode) {
        let source = unsafeDowncast(source, to: Future<Value>.self)
        guard lockIfPending() else { return waitUntilDetached() }
        attachment = source.attachment
        // Only the value of a future that has succeeded is final: if the source was given up meanwhile, its
        // deliverer may be removing the value.
        if failure == nil { storage = source.storage }
        let list = list
        unlock(to: failure == nil ? StateWord.value : StateWord.failure)
        // Before any observer is called.
        timer?.cancel()
        if list != 0 { distribute(list) }
    }

    override func timeIsOver() {
        if let timer = newTimer?(expiry) { return keep(timer) }
        abort(with: Failure(error?() ?? FutureError(.timedOut, at: location)))
    }

    override var origin: CodeLocation? { location }

    override var endsByItself: Bool { true }
}
