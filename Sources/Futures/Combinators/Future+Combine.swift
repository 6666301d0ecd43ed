#if canImport(Combine)
public import Combine

extension Future {
    /// A publisher of the value or the error; cancelling a subscription gives up its interest.
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
    /// A future of the first value; it fails as abandoned if the publisher ends without one.
    ///
    /// The publisher is subscribed to at once. After the first value, and if the future is cancelled, the
    /// subscription is cancelled and released; a publisher that never ends is released only then.
    public func firstValue() -> Future<Output> {
        .make { resolver in
            let subscriber = FirstValueSubscriber<Output, Failure>(resolver)
            // The subscriber keeps the resolver, and with it the future and this handler.
            resolver.onCancel { [weak subscriber] in subscriber?.cancel() }
            subscribe(subscriber)
        }
    }
}

/// A subscriber that waits for one value; its publisher keeps it, and it keeps its subscription, to the end.
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
        // Not within the lock: the first value may come before this returns.
        if isWanted { subscription.request(.max(1)) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let last = end()
        last.subscription?.cancel()
        last.resolver?.resolve(with: input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let last = end()
        if case .failure(let error) = completion { last.resolver?.reject(with: error) }
    }

    func cancel() { end().subscription?.cancel() }

    /// Forgets everything: the caller releases it outside the lock.
    private func end() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
#endif
