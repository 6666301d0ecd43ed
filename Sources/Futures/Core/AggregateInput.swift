/// One input of an aggregate, enrolled on the future that it stands for.
///
/// It retains that future only after it has settled: waiters must not keep a pending promise alive.
///
/// It does not own the aggregate: the aggregate has one reference to itself for all its inputs, until none of
/// them will access it any more.
class AggregateInput: Waiter, @unchecked Sendable {
    /// Dereferenced only by the thread that has claimed this input to deliver to it.
    private let aggregate: Unmanaged<FutureNode>

    /// The settled future.
    ///
    /// Written by the deliverer, before it notifies the aggregate.
    @exclusivity(unchecked) final var source: FutureNode?

    init(of aggregate: FutureNode) {
        self.aggregate = .passUnretained(aggregate)
        super.init(deliver: Self.deliverByOverride)
    }

    override func receive(_ settled: FutureNode) {
        guard claim(as: StateWord.value) else { return waitUntilDetached() }
        source = settled
        if aggregate._withUnsafeGuaranteedRef({ $0.inputSettled(self) }) { aggregate.release() }
    }
}

extension AggregateInput {
    /// The input's value, after a delivery with a value.
    func value<Value: Sendable>(of type: Value.Type) -> Value {
        future(of: type).storage.unsafelyUnwrapped
    }

    func future<Value: Sendable>(of type: Value.Type) -> Future<Value> {
        unsafeDowncast(source.unsafelyUnwrapped, to: Future<Value>.self)
    }
}
