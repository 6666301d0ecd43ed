/// One input of an aggregate, enrolled on the future that it stands for.
///
/// It takes that future over only once it has settled: its waiters must not keep a pending promise
/// alive.
///
/// It does not own the aggregate: that has one reference to itself for all its inputs, until none of
/// them will touch it any more.
@usableFromInline
class AggregateInput: Waiter, @unchecked Sendable {
    /// Followed only by the one who has claimed this input to deliver to it.
    private let aggregate: Unmanaged<FutureNode>

    /// The settled future.
    ///
    /// Written by the deliverer, before it tells the aggregate.
    @usableFromInline @exclusivity(unchecked) final var source: FutureNode?

    init(of aggregate: FutureNode) {
        self.aggregate = .passUnretained(aggregate)
        super.init { node, source in
            unsafeDowncast(node, to: AggregateInput.self).receive(source)
        }
    }

    private func receive(_ settled: FutureNode) {
        guard claim(as: StateWord.value) else { return waitUntilDetached() }
        source = settled
        if aggregate._withUnsafeGuaranteedRef({ $0.inputSettled(self) }) { aggregate.release() }
    }

    override func upstreamWasLost() {
        guard claim(as: StateWord.failure) else { return }
        if aggregate._withUnsafeGuaranteedRef({ $0.inputLost() }) { aggregate.release() }
    }
}

extension AggregateInput {
    /// The input's value, once delivered with one.
    @inlinable
    func value<Value: Sendable>(of type: Value.Type) -> Value {
        future(of: type).storage.unsafelyUnwrapped
    }

    @inlinable
    func future<Value: Sendable>(of type: Value.Type) -> Future<Value> {
        unsafeDowncast(source.unsafelyUnwrapped, to: Future<Value>.self)
    }
}
