public import PledgeFutures

/// A command of an ``EffectMachine``, carried out outside the lock and in order.
@usableFromInline
enum EffectCommand<Event: Sendable>: Sendable {
    /// Begin a future, and notify the run of its result.
    case start(RunNumber, @Sendable () -> Future<Event>)
    /// Begin an operation that may dispatch many events, and notify the run of its end.
    case run(RunNumber, @Sendable (Effect<Event>.Send) -> Future<Void>)
    /// Fire the run after a delay.
    case schedule(RunNumber, Duration, any Scheduler)
    /// Resolve a promise of ``Store/finish(within:on:)``.
    case resolve(Promise<Void>)
    case cancel(EffectHandle<Event>)
    /// Only free it: objects that a user's effect captured may use the store when they are freed, so they are
    /// freed outside the lock.
    case free(any Sendable)

    /// Whether it begins a run; if the run was cancelled before, the command does nothing.
    var isBeginning: Bool {
        switch self {
        case .start, .run, .schedule: true
        case .resolve, .cancel, .free: false
        }
    }
}
