public import Futures

/// What there is to do after an ``EffectMachine`` has changed, outside the lock and in order.
@usableFromInline
enum EffectCommand<Event: Sendable>: Sendable {
    /// Begin a future, and tell the run how it ends.
    case start(Int, @Sendable () -> Future<Event>)
    /// Begin what may dispatch many events, and tell the run how it ends.
    case run(Int, @Sendable (Effect<Event>.Send) -> Future<Void>)
    /// Fire the run after a delay.
    case schedule(Int, Duration, any Scheduler)
    /// Tell one who waits until no effect is under way.
    case resolve(Promise<Void>)
    case cancel(EffectHandle<Event>)
    /// Nothing but to free it: what a user's effect captured may use the store as it goes, and so has
    /// to outlive the lock.
    case free(any Sendable)

    /// Whether it begins a run, which may be cancelled before: then it does nothing.
    var isBeginning: Bool {
        switch self {
        case .start, .run, .schedule: true
        case .resolve, .cancel, .free: false
        }
    }
}
