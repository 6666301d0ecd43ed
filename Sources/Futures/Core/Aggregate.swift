public import Synchronization

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
        protocolStep()
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

    /// Once all inputs are there, stores the value made of them, or returns an error instead.
    ///
    /// (A function without captures, where it can be; it is specialised where it is formed, as one
    /// that returned a `Result<Value, any Error>` would not be called.)
    @usableFromInline
    typealias Conclusion =
        @Sendable (_ aggregate: Future<Value>, _ inputs: [InputWaiter]) -> (any Error)?

    @usableFromInline
    let rule: Rule
    @usableFromInline
    let conclusion: Conclusion
    /// How many inputs have not settled, and one for `start`, until it has handed the inputs over.
    @usableFromInline
    let remaining: Atomic<Int>
    /// In the order in which they were given; empty until all are enrolled.
    ///
    /// Written under the lock; belongs to whoever claims this future.
    @usableFromInline
    @exclusivity(unchecked)
    var inputs: [InputWaiter]

    @inlinable
    init(count: Int, rule: Rule, conclusion: @escaping Conclusion) {
        self.rule = rule
        self.conclusion = conclusion
        remaining = Atomic(count + 1)
        inputs = []
        super.init(role: .derived, deliver: { _, _ in })
    }

    /// Enrolls the inputs, as many as `count` said.
    ///
    /// Called once, before anyone else knows this future; inputs may settle meanwhile.
    @inlinable
    func start<Input: FutureNode>(_ futures: [Input]) {
        var inputs: [InputWaiter] = []
        inputs.reserveCapacity(futures.count)
        for future in futures { enroll(on: future, &inputs) }
        handOver(&inputs)
    }

    /// Adds an input, unless the inputs before it have settled this.
    @usableFromInline
    func enroll(on future: FutureNode, _ inputs: inout [InputWaiter]) {
        guard isPending else { return future.giveUpInterest() }
        let input = InputWaiter(owner: self)
        protocolStep()
        future.enroll(input)
        inputs.append(consume input)
    }

    /// Ends the start.
    @usableFromInline
    func handOver(_ inputs: inout [InputWaiter]) {
        protocolStep()
        if lockIfPending() {
            self.inputs = inputs
            unlock()
            countDown()
        } else {
            // Settled meanwhile, by a thread that did not have the inputs to give them up.
            var departure = Departure()
            departure.giveUp(&inputs)
            departure.walkRemaining()
            departure.conclude()
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
        default: countDown()
        }
    }

    /// Settles as one input did, and gives up the others.
    private func settle(as input: InputWaiter) {
        guard claim() else { return }
        var newWord = Word.value
        if let failure = input.source?.failure {
            self.failure = failure
            newWord = Word.failure
        } else {
            // Only `any` and `race` settle with an input's value, and theirs have this type.
            storage = input.future(of: Value.self).storage
        }
        protocolStep()
        var departure = Departure()
        departure.giveUp(&inputs)
        let list = publish(newWord)
        departure.walkRemaining()
        // As in `abort`: the losers' producers hear before those who go on with the winner.
        departure.conclude()
        if list != 0 { distribute(list) }
    }

    /// Notes that one thing less is to be waited for, and settles once there is none.
    private func countDown() {
        // Releasing what an input wrote, acquiring what the others did.
        let left = remaining.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { conclude() }
    }

    /// Settles once all inputs are there, so that there is none to give up.
    private func conclude() {
        guard claim() else { return }
        let inputs = inputs
        self.inputs = []
        if let error = conclusion(self, inputs) {
            failure = Failure(error)
            finish(Word.failure)
        } else {
            finish(Word.value)
        }
    }
}
