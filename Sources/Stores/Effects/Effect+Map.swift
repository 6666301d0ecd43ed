internal import PledgeFutures

extension Effect {
    /// This effect, with another event.
    ///
    /// - Parameter transform: Makes the event, on the thread that settles the effect's future or sends the
    ///   event.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Event) -> Other
    ) -> Effect<Other> {
        switch kind {
        case .none: .none
        case .start(let start): .future { start().map(transform) }
        case .run(let operation):
            Effect<Other>(
                kind: .run { send in operation(Effect.Send { send(transform($0)) }) })
        case .merge(let effects): .merge(effects.map { $0.map(transform) })
        case .concatenate(let effects): .concatenate(effects.map { $0.map(transform) })
        case .identified(let effect, let id, let policy):
            Effect<Other>(kind: .identified(effect.map(transform), id, policy))
        case .delayed(let effect, let delay, let scheduler):
            Effect<Other>(kind: .delayed(effect.map(transform), delay, scheduler))
        case .throttled(let effect, let id, let throttling):
            Effect<Other>(kind: .throttled(effect.map(transform), id, throttling))
        case .cancel(let id): Effect<Other>(kind: .cancel(id))
        }
    }
}
