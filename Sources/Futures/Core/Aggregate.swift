internal import Synchronization

/// A future that waits for several inputs: one object for the future, and one small node for each input.
class Aggregate<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// The input that settles an aggregate before all its inputs have settled.
    enum Rule: Sendable {
        /// The first failure.
        case firstFailure
        /// The first success.
        case firstSuccess
        /// The first input to settle, with any result.
        case first
        /// None: the aggregate waits for all its inputs.
        case never
    }

    final let rule: Rule
    final let others: OtherInputs
    /// The number of inputs that may still access this future, plus one until `start` has stored the inputs.
    ///
    /// At first, all inputs are counted. An input counts until it has reported that it settled, or until it is given
    /// up. After this future has settled, `start` creates no more inputs, and subtracts each missing one instead.
    ///
    /// While the number is above zero, this future owns a reference to itself. The thread that counts down to zero
    /// releases that reference.
    final let remaining: Atomic<Int>
    /// The inputs in the order in which they were given; empty until all are enrolled.
    ///
    /// Guarded by the lock. After this future has settled, only the thread that settled it uses the inputs.
    @exclusivity(unchecked) final var inputs: [AggregateInput]

    init(count: Int, rule: Rule, others: OtherInputs = .givenUp) {
        self.rule = rule
        self.others = others
        remaining = Atomic(count + 1)
        inputs = []
        super.init(deliver: { _, _ in })
        _ = retained()
    }

    /// Stores the value made from all settled inputs, or returns an error instead.
    func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
        preconditionFailure("each kind of aggregate has a value of its own")
    }

    /// Begins to wait for the inputs, whose number must be the `count` that `init` got.
    ///
    /// Called once, before other code knows this future. Inputs may settle meanwhile.
    ///
    /// - Returns: This future.
    @discardableResult
    final func start<Input: FutureNode>(_ futures: [Input]) -> Future<Value> {
        var inputs: [AggregateInput] = []
        inputs.reserveCapacity(futures.count)
        // The array keeps the futures alive. A loop variable would retain each future again.
        withExtendedLifetime(futures) {
            for index in futures.indices {
                enroll(onHeld: .passUnretained(futures[index]), &inputs)
            }
        }
        handOver(&inputs)
        return self
    }

    /// Does the same as `enroll(on:_:)`, for a future that the caller keeps alive.
    final func enroll(onHeld future: Unmanaged<FutureNode>, _ inputs: inout [AggregateInput]) {
        future._withUnsafeGuaranteedRef { enroll(on: $0, &inputs) }
    }

    /// Adds an input, unless earlier inputs have already settled this future.
    final func enroll(on future: FutureNode, _ inputs: inout [AggregateInput]) {
        guard isPending else {
            if others == .givenUp { future.giveUpInterest() } else { future.keepInterest() }
            return countDownAndRelease(1)
        }
        let input = AggregateInput(of: self)
        // A settled input reports at once, also if this is called within the future's own delivery, so that inputs which
        // have settled report in the order in which they were given.
        if future.hasSettled { input.receive(future) } else { future.enroll(input.retained()) }
        inputs.append(consume input)
    }

    /// Ends `start`: stores the inputs, or drops them if this future has already settled.
    final func handOver(_ inputs: inout [AggregateInput]) {
        if lockIfPending() {
            self.inputs = inputs
            unlock()
        } else {
            // Another thread settled this future before the inputs were stored. So that thread couldn't give up or
            // ignore the inputs, and this thread does it.
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

    /// Settles with the result of one input and gives up the others, unless this future has already settled.
    private func settle(like input: AggregateInput) {
        guard lockIfPending() else { return }
        var newWord = StateWord.value
        if let failure = input.source?.failure {
            attachment = .failure(failure)
            newWord = StateWord.failure
        } else {
            // Only `any` and `race` settle with an input's value, and their inputs have this type.
            storage = input.future(of: Value.self).storage
        }
        let kept = others == .keptGoing ? inputs : []
        if others == .keptGoing { inputs = [] }
        settleGivingUp(as: newWord)
        ignore(kept)
    }

    /// Takes the pending inputs out of the lists of their futures, but leaves them the interest of this aggregate.
    ///
    /// So the futures of these inputs go on, and keep nothing of this aggregate. It can be freed before they settle,
    /// together with its result and the results of the settled inputs.
    private func ignore(_ kept: [AggregateInput]) {
        var number = 0
        for input in kept where input.claim(as: StateWord.detaching) {
            // Here the last reference to the future may go, and run a promise's deinit.
            _ = input.detach(leavingInterest: true)
            number += 1
        }
        // If other threads deliver to all the inputs, the last of them may have released this future already.
        if number > 0 { countDownAndRelease(number) }
    }

    /// Notes that some inputs, or `start`, won't access this future any more, and settles it when none is left.
    ///
    /// - Returns: True if none is left. The caller then has to release this future, and must not access it afterwards,
    ///   unless the caller has another reference.
    private func countDown(_ number: Int) -> Bool {
        // Releasing: the other threads see what this thread wrote. Acquiring: this thread sees what the other threads
        // wrote.
        let left = remaining.wrappingSubtract(number, ordering: .acquiringAndReleasing).newValue
        if left == 0 { conclude() }
        return left == 0
    }

    /// Calls `countDown`, and releases this future if it returns true; for callers that have another reference.
    private func countDownAndRelease(_ number: Int) {
        if countDown(number) { Unmanaged.passUnretained(self).release() }
    }

    /// Settles this future once all inputs have settled, unless it has already settled.
    ///
    /// No input is left to give up. The value is made before this future is locked, so that no thread waits meanwhile:
    /// making the value takes time in proportion to the number of inputs.
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

/// The node with which an aggregate waits for one of its inputs.
///
/// The node retains the input's future only after that future has settled, because a waiter must not keep a pending
/// promise alive.
///
/// The node doesn't own the aggregate. Instead, the aggregate owns itself until none of its nodes will access it any
/// more.
class AggregateInput: Waiter, @unchecked Sendable {
    /// Used only by the thread that delivers to this input, after its call of `claim` has succeeded.
    private let aggregate: Unmanaged<FutureNode>

    /// The future, once it has settled.
    ///
    /// Written by the thread that delivers to this input, before that thread notifies the aggregate.
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
    /// The input's value, once a value was delivered to it.
    func value<Value: Sendable>(of type: Value.Type) -> Value {
        future(of: type).storage.unsafelyUnwrapped
    }

    func future<Value: Sendable>(of type: Value.Type) -> Future<Value> {
        unsafeDowncast(source.unsafelyUnwrapped, to: Future<Value>.self)
    }
}
