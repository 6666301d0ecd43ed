internal import PledgeFutures

/// How an effect is throttled.
@usableFromInline
struct Throttling: Sendable {
    /// How long no other effect with the id begins after one has begun.
    let interval: Duration
    /// Whether the last effect that came within the interval begins at its end.
    let keepsLatest: Bool
    let scheduler: any Scheduler
}
