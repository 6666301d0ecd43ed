/// One input of an aggregate, enrolled on the future that it stands for.
///
/// It takes that future over only once it has settled: a pending promise must not be kept alive by
/// those who wait for it.
///
/// It does not own the future that it is an input of: that has one reference to itself for all its
/// inputs, until none of them will touch it any more.
@usableFromInline
class InputWaiter: Enrolled, @unchecked Sendable {
    /// Followed only by the one who has claimed this waiter to deliver to it.
    private let owner: Unmanaged<FutureNode>

    /// The settled future.
    ///
    /// Written by the deliverer, before it tells the owner.
    @usableFromInline
    @exclusivity(unchecked)
    final var source: FutureNode?

    init(owner: FutureNode) {
        self.owner = .passUnretained(owner)
        super.init { waiter, source in
            unsafeDowncast(waiter, to: InputWaiter.self).receive(source)
        }
    }

    private func receive(_ settled: FutureNode) {
        guard claim(as: Word.value) else { return waitUntilLeft() }
        protocolStep()
        source = settled
        if owner._withUnsafeGuaranteedRef({ $0.inputSettled(self) }) { owner.release() }
    }
}

extension InputWaiter {
    /// The input's result, once delivered.
    @inlinable
    func result<Value: Sendable>(of type: Value.Type) -> Result<Value, any Error> {
        future(of: type).settledResult
    }

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
