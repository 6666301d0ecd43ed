import Synchronization

/// One input of an aggregate, enrolled on the future that it stands for.
///
/// It takes that future over only once it has settled: a pending promise must not be kept alive by
/// those who wait for it.
@usableFromInline
final class InputWaiter: Waiter, @unchecked Sendable {
    private let owner: FutureNode

    /// The settled future.
    ///
    /// Written by the deliverer, before it tells the owner.
    @usableFromInline
    @exclusivity(unchecked)
    var source: FutureNode?

    init(owner: FutureNode) {
        self.owner = owner
        super.init(word: Word.pending, role: .derived) { waiter, source in
            unsafeDowncast(waiter, to: InputWaiter.self).receive(source)
        }
    }

    private func receive(_ settled: FutureNode) {
        guard claim(as: Word.value) else { return waitUntilLeft() }
        source = settled
        owner.inputSettled(self)
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

/// A future of several inputs: one small waiter an input, and one object for all.
@usableFromInline
final class Aggregate<Value: Sendable>: Future<Value>, @unchecked Sendable {
    /// When an aggregate settles before all its inputs have.
    @usableFromInline
    enum Rule: Sendable {
        /// With the first failure.
        case firstFailure
        /// With the first success.
        case firstSuccess
        /// With the first input, whatever its result.
        case first
        /// Never.
        case never
    }

    /// Makes the result once all inputs are there.
    @usableFromInline
    typealias Conclusion = @Sendable ([InputWaiter]) -> Result<Value, any Error>

    private let rule: Rule
    private let conclusion: Conclusion
    private let remaining: Atomic<Int>
    /// In the order in which they were given.
    ///
    /// Belongs to whoever claims this future.
    @exclusivity(unchecked)
    private var inputs: [InputWaiter] = []

    @usableFromInline
    init(count: Int, rule: Rule, conclusion: @escaping Conclusion) {
        self.rule = rule
        self.conclusion = conclusion
        remaining = Atomic(count)
        super.init(role: .derived, deliver: { _, _ in })
        inputs.reserveCapacity(count)
        for _ in 0..<count { inputs.append(InputWaiter(owner: self)) }
    }

    /// Enrolls the inputs.
    ///
    /// Called once, before anyone else knows this future.
    @usableFromInline
    func start(_ futures: some Sequence<FutureNode>) {
        for (input, future) in Swift.zip(inputs, futures) {
            future.enrollShared(input)
        }
    }

    override func surrender(to departure: inout Departure) {
        departure.giveUp(&inputs)
        super.surrender(to: &departure)
    }

    override func inputSettled(_ input: InputWaiter) {
        let isFailure = input.source?.failure != nil
        switch rule {
        case .first: settle(as: input)
        case .firstFailure where isFailure: settle(as: input)
        case .firstSuccess where !isFailure: settle(as: input)
        default:
            // Releasing what this input wrote, acquiring what the others did.
            let left = remaining.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
            if left == 0 { conclude() }
        }
    }

    /// Settles as one input did, and gives up the others.
    private func settle(as input: InputWaiter) {
        guard claim() else { return }
        if let failure = input.source?.failure {
            self.failure = failure
            end(Word.failure)
        } else {
            // Only `any` and `race` settle with an input's value, and theirs have this type.
            storage = input.future(of: Value.self).storage
            end(Word.value)
        }
    }

    /// Settles once all inputs are there.
    private func conclude() {
        guard claim() else { return }
        switch conclusion(inputs) {
        case .success(let value):
            storage = value
            end(Word.value)
        case .failure(let error):
            failure = Failure(error)
            end(Word.failure)
        }
    }

    private func end(_ newWord: UInt) {
        var departure = Departure()
        departure.giveUp(&inputs)
        let list = publish(newWord)
        departure.walkRemaining()
        if list != 0 { distribute(list) }
        departure.conclude()
    }
}
