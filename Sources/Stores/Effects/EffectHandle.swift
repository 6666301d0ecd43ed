public import PledgeFutures

/// What a begun effect waits for; it is cancelled with the effect.
@usableFromInline
enum EffectHandle<Event: Sendable>: Sendable {
    case future(Future<Event>)
    case operation(Future<Void>)
    case timer(any ScheduledAction)

    func cancel() {
        switch self {
        case .future(let future): future.cancel()
        case .operation(let end): end.cancel()
        case .timer(let timer): timer.cancel()
        }
    }
}
