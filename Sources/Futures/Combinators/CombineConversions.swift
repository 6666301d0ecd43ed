#if canImport(Combine)
public import Combine

extension Future {
    /// A publisher of the value or the error; cancelling a subscription gives up its interest in the future.
    public final var publisher: AnyPublisher<Value, any Error> {
        Deferred { [self] in
            let observation = Locked<FutureNode?>(nil)
            return Combine.Future<Value, any Error> { promise in
                nonisolated(unsafe) let promise = promise
                let observing = self.observed { promise($0.settledResult) }
                observation.withLock { $0 = observing }
            }
            .handleEvents(receiveCancel: {
                observation.withLock { $0 }?.abort(with: .cancelled)
            })
        }
        .eraseToAnyPublisher()
    }
}

extension Publisher where Output: Sendable {
    /// A future of the publisher's first value; it fails as abandoned if the publisher finishes without a value.
    ///
    /// The future subscribes at once. The subscription is cancelled and released after the first value, or if the
    /// future is cancelled. Until then, the subscription keeps the publisher alive, even if the publisher never ends.
    public func firstValue() -> Future<Output> {
        .make { resolver in
            let subscriber = FirstValueSubscriber<Output, Failure>(resolver)
            // Weak, to avoid a cycle: the subscriber keeps the resolver alive, the resolver keeps the future alive, and
            // the future keeps this handler alive.
            resolver.onCancel { [weak subscriber] in subscriber?.cancel() }
            subscribe(subscriber)
        }
    }
}

/// A subscriber that waits for one value.
///
/// The publisher keeps the subscriber alive, and the subscriber keeps its subscription alive. Both references last
/// until a value arrives, the publisher ends, or the subscriber is cancelled.
private final class FirstValueSubscriber<Input: Sendable, Failure: Error>: Subscriber, Sendable {
    private struct State {
        var resolver: Resolver<Input>?
        var subscription: (any Subscription)?
    }

    private let state: Locked<State>

    init(_ resolver: Resolver<Input>) { state = Locked(State(resolver: resolver)) }

    func receive(subscription: any Subscription) {
        let isWanted = state.withLock { state in
            guard state.resolver != nil, state.subscription == nil else { return false }
            state.subscription = subscription
            return true
        }
        // `request` is called outside the lock. It may deliver the first value before it returns, and the delivery
        // takes the lock.
        if isWanted { subscription.request(.max(1)) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let last = endWait()
        last.subscription?.cancel()
        last.resolver?.resolve(with: input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let last = endWait()
        if case .failure(let error) = completion { last.resolver?.reject(with: error) }
    }

    func cancel() { endWait().subscription?.cancel() }

    /// Empties the state, and returns the former state, which the caller releases outside the lock.
    private func endWait() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
#endif
