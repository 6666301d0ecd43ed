#if canImport(Combine)
public import Combine

extension Future {
    /// A publisher of the value or the error; cancelling a subscription gives up its interest.
    public final var publisher: AnyPublisher<Value, any Error> {
        Deferred { [self] in
            let observation = Locked<FutureObservation?>(nil)
            return Combine.Future<Value, any Error> { promise in
                nonisolated(unsafe) let promise = promise
                let observing = self.observation { promise($0) }
                observation.withLock { $0 = observing }
            }
            .handleEvents(receiveCancel: { observation.withLock { $0 }?.cancel() })
        }
        .eraseToAnyPublisher()
    }
}

extension Publisher where Output: Sendable {
    /// A future of the first value; it fails as abandoned if the publisher ends without one.
    public func firstValue() -> Future<Output> {
        .make { resolver in
            let sink = first().sink { completion in
                if case .failure(let error) = completion { resolver.reject(with: error) }
            } receiveValue: { value in
                resolver.resolve(with: value)
            }
            nonisolated(unsafe) let subscription = sink
            resolver.onCancel { subscription.cancel() }
        }
    }
}
#endif
