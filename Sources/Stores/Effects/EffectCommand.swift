public import Futures

/// What there is to do after an ``EffectMachine`` has changed, outside the lock and in order.
@usableFromInline
enum EffectCommand<Event: Sendable>: Sendable {
    /// Begin a future, and tell the run how it ends.
    case start(RunNumber, @Sendable () -> Future<Event>)
    /// Begin what may dispatch many events, and tell the run how it ends.
    case run(RunNumber, @Sendable (Effect<Event>.Send) -> Future<Void>)
    /// Fire the run after a delay.
    case schedule(RunNumber, Duration, any Scheduler)
    /// Resolve a promise of ``Store/finish(within:on:)``.
    case resolve(Promise<Void>)
    case cancel(EffectHandle<Event>)
    /// Only free it: what a user's effect captured may use the store as it is freed, so it has to
    /// outlive the lock.
    case free(any Sendable)

    /// Whether it begins a run, which may be cancelled before: then it does nothing.
    var isBeginning: Bool {
        switch self {
        case .start, .run, .schedule: true
        case .resolve, .cancel, .free: false
        }
    }
}
