/// What a combinator does once its upstream has settled: a struct that holds the user's closure.
@usableFromInline
protocol Transform<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// Makes the new result; called once at most.
    func apply(to source: Future<Input>) throws -> Outcome<Output>

    /// Is called instead of `apply` if the future was given up before there was a result.
    func giveUp()

    /// Releases the closure.
    ///
    /// (The closure is optional in each transform; the transform is not optional in the future: a deinit that
    /// is not specialised would have to look `Step?` up in the runtime's table of types.)
    mutating func release()
}

extension Transform {
    @inlinable func giveUp() {}

    @inlinable static var released: String { "a transform is applied once" }
}

/// The outcome of a transform.
@usableFromInline
enum Outcome<Value: Sendable> {
    case value(Value)
    case failure(Failure)
    /// The result of this future, when it settles.
    case future(Future<Value>)
    /// The upstream's own result; only for a transform with an input of its output's type.
    case unchanged
}

/// The future that a transform makes, and the node that waits for its upstream: one object for both.
@usableFromInline
final class TransformedFuture<Step: Transform>: DerivedFuture<Step.Output>, @unchecked Sendable {
    /// Released once applied, or not needed any more.
    ///
    /// Belongs to the deliverer; see `FutureNode.dropClosure`.
    @usableFromInline @exclusivity(unchecked) var step: Step

    /// Where the transform was written; nil within the framework.
    @usableFromInline let location: SourceLocation?

    @inlinable
    init(_ step: Step, at location: SourceLocation?, deliver: @escaping Delivery) {
        self.step = step
        self.location = location
        super.init(deliver: deliver)
    }

    @inlinable
    func receive(_ source: Future<Step.Input>) {
        guard isPending else {
            waitUntilDetached()
            return dropClosure()
        }
        do {
            let outcome = try step.apply(to: source)
            step.release()
            switch outcome {
            case .value(let value): succeedDerived(value)
            case .failure(let failure): failDerived(failure)
            case .future(let inner): adopt(inner)
            case .unchanged: finishDerived(as: unsafeDowncast(source, to: Future<Step.Output>.self))
            }
        } catch {
            step.release()
            failDerived(Failure(error, thrownAt: location))
        }
    }

    @usableFromInline
    override func dropClosure() {
        let step = step
        self.step.release()
        step.giveUp()
    }

    override var origin: SourceLocation? { location }
}

extension Future {
    /// Adds a transform: at once if this has settled, else as a node that waits.
    @inlinable
    final func transformed<Step: Transform>(
        by step: Step, at location: SourceLocation?
    ) -> Future<Step.Output> where Step.Input == Value {
        if hasSettled, enterDelivery() {
            let future = transformedAtOnce(by: step, at: location)
            future.spliceOutUpstream()
            Self.leaveDelivery()
            return future
        }
        let future = TransformedFuture(step, at: location) { node, source in
            unsafeDowncast(node, to: TransformedFuture<Step>.self)
                .receive(unsafeDowncast(source, to: Future<Value>.self))
        }
        enroll(future.retained())
        return future
    }

    /// What a transform makes of this settled future.
    @inlinable
    final func transformedAtOnce<Step: Transform>(
        by step: Step, at location: SourceLocation?
    ) -> Future<Step.Output> where Step.Input == Value {
        do {
            switch try step.apply(to: self) {
            case .value(let value): return Future<Step.Output>(value: value)
            case .failure(let failure): return Future<Step.Output>(sharing: failure)
            case .future(let inner):
                let future = DerivedFuture<Step.Output>(deliver: { _, _ in })
                future.adopt(inner)
                return future
            case .unchanged: return unsafeDowncast(self, to: Future<Step.Output>.self)
            }
        } catch {
            return Future<Step.Output>(sharing: Failure(error, thrownAt: location))
        }
    }

    /// Settles this derived future as another one does, now or when that settles.
    @inlinable
    final func adopt(_ inner: Future<Value>) {
        if inner.hasSettled, inner !== self {
            finishDerived(as: inner)
        } else {
            forward(from: inner) { node, source in
                unsafeDowncast(node, to: Future<Value>.self)
                    .finishDerived(as: unsafeDowncast(source, to: Future<Value>.self))
            }
        }
    }
}
