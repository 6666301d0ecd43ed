internal import Futures

/// How an effect is throttled.
@usableFromInline
struct Throttling: Sendable {
    /// How long no other effect with the id begins after one has.
    let interval: Duration
    /// Whether the last effect that came meanwhile begins at the end of that time.
    let keepsLatest: Bool
    let scheduler: any Scheduler
}
