internal import Synchronization

/// A future of several inputs: one small node for each input, and one object for all.
class Aggregate<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// When an aggregate settles before all its inputs have.
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

    final let rule: Rule
    final let others: OtherInputs
    /// How many inputs may still access this, plus one for `start` until it has handed the inputs over.
    ///
    /// An input no longer accesses it once it has notified this that it settled, was given up, or was not
    /// made. As long as there are any, this owns a reference to itself, which the thread that counts to zero
    /// releases.
    final let remaining: Atomic<Int>
    /// In the order in which they were given; empty until all are enrolled.
    ///
    /// Guarded by the lock; once this has settled it belongs to the thread that settled it.
    @exclusivity(unchecked) final var inputs: [AggregateInput]

    init(count: Int, rule: Rule, others: OtherInputs = .givenUp) {
        self.rule = rule
        self.others = others
        remaining = Atomic(count + 1)
        inputs = []
        super.init(deliver: { _, _ in })
        _ = retained()
    }

    /// Stores the value made of all inputs, once they have settled, or returns an error instead.
    func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
        preconditionFailure("each kind of aggregate has a value of its own")
    }

    /// Enrolls the inputs, as many as `count` said.
    ///
    /// Called once, before anyone else knows this future; inputs may settle meanwhile.
    /// - Returns: This future.
    @discardableResult
    final func start<Input: FutureNode>(_ futures: [Input]) -> Future<Value> {
        var inputs: [AggregateInput] = []
        inputs.reserveCapacity(futures.count)
        // The array holds them: a variable for each in turn would retain it once more.
        withExtendedLifetime(futures) {
            for index in futures.indices {
                enroll(onHeld: .passUnretained(futures[index]), &inputs)
            }
        }
        handOver(&inputs)
        return self
    }

    /// As `enroll(on:_:)`, for a future that the caller keeps alive.
    final func enroll(onHeld future: Unmanaged<FutureNode>, _ inputs: inout [AggregateInput]) {
        future._withUnsafeGuaranteedRef { enroll(on: $0, &inputs) }
    }

    /// Adds an input, unless the inputs before it have settled this.
    final func enroll(on future: FutureNode, _ inputs: inout [AggregateInput]) {
        guard isPending else {
            if others == .givenUp { future.giveUpInterest() }
            return countDownAndRelease(1)
        }
        let input = AggregateInput(of: self)
        future.enroll(input.retained())
        inputs.append(consume input)
    }

    /// Ends the start.
    final func handOver(_ inputs: inout [AggregateInput]) {
        if lockIfPending() {
            self.inputs = inputs
            unlock()
        } else {
            // Settled meanwhile, by a thread that did not have the inputs and could not give them up.
            if others == .keptGoing {
                ignore(inputs)
            } else {
                var cancellation = Cancellation()
                cancellation.giveUp(inputs, of: self)
                cancellation.detachInputs()
                cancellation.finish()
            }
        }
        countDownAndRelease(1)
    }

    override func dropWaits(into cancellation: inout Cancellation) {
        if inputs.isEmpty { return }
        cancellation.giveUp(inputs, of: self)
        inputs = []
    }

    override func inputsGivenUp(_ number: Int) { countDownAndRelease(number) }

    override var inputsOfAggregate: [FutureNode] {
        guard let inputs = copied({ inputs }) else { return [] }
        return inputs
    }

    override var needsOneInput: Bool {
        switch rule {
        case .first, .firstSuccess: true
        case .firstFailure, .never: false
        }
    }

    override func inputSettled(_ input: AggregateInput) -> Bool {
        let isFailure = input.source?.failure != nil
        switch rule {
        case .first: settle(like: input)
        case .firstFailure where isFailure: settle(like: input)
        case .firstSuccess where !isFailure: settle(like: input)
        default: break
        }
        return countDown(1)
    }

    /// Settles as one input did, and gives up the others, unless this has settled.
    private func settle(like input: AggregateInput) {
        guard lockIfPending() else { return }
        var newWord = StateWord.value
        if let failure = input.source?.failure {
            attachment = .failure(failure)
            newWord = StateWord.failure
        } else {
            // Only `any` and `race` settle with an input's value, and theirs have this type.
            storage = input.future(of: Value.self).storage
        }
        let kept = others == .keptGoing ? inputs : []
        if others == .keptGoing { inputs = [] }
        settleGivingUp(as: newWord)
        ignore(kept)
    }

    /// Leaves the pending inputs in the lists of their futures, so that those go on, and is notified no more.
    ///
    /// So this is freed, with its result and those of the inputs that have settled, however long the others take.
    private func ignore(_ kept: [AggregateInput]) {
        var number = 0
        for input in kept where input.claim(as: StateWord.failure) { number += 1 }
        // Not for zero: the last input may have released this already.
        if number > 0 { countDownAndRelease(number) }
    }

    /// Notes that some inputs, or `start`, will not access this any more, and settles when none is left.
    /// - Returns: Whether none is left. The caller then releases this future, and does not access it
    ///   afterwards unless it has another reference.
    private func countDown(_ number: Int) -> Bool {
        // Releasing what an input wrote, acquiring what the others did.
        let left = remaining.wrappingSubtract(number, ordering: .acquiringAndReleasing).newValue
        if left == 0 { conclude() }
        return left == 0
    }

    /// As `countDown`, for threads that hold this future.
    private func countDownAndRelease(_ number: Int) {
        if countDown(number) { Unmanaged.passUnretained(self).release() }
    }

    /// Settles when all inputs have settled, so that there is none to give up, unless this has settled.
    ///
    /// The value is made before any thread has to wait, because making it takes time in proportion to the
    /// number of inputs.
    private func conclude() {
        guard let inputs = copied({ inputs }) else { return }
        if let error = makeValue(of: inputs) {
            guard failDerived(Failure(error)) else { return }
        } else if !finishDerived() {
            storage = nil
            return
        }
        self.inputs = []
    }
}
