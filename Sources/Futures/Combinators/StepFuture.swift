/// The future of a step that keeps the type of value: one object for it and its waiter.
///
/// All that runs when things go well can be specialised. Where it was not, `recover` spent half of its
/// time on looking up generic types, and the function to deliver to captured them.
@usableFromInline
final class StepFuture<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// What the step does.
    @usableFromInline
    enum Step: Sendable {
        case mapError(@Sendable (any Error) throws -> any Error)
        case recover(@Sendable (any Error) throws -> Value)
        case flatMapError(@Sendable (any Error) throws -> Future<Value>)
        case ensure(@Sendable (Value) throws -> Bool)
        case always(@Sendable () -> Void)
        case onSuccess(@Sendable (Value) -> Void)
        case onFailure(@Sendable (any Error) -> Void)
        case onEnd(@Sendable (Result<Value, any Error>) -> Void)
        case continued(@Sendable (Result<Value, any Error>) -> Future<Value>?)
    }

    /// Nil once done, or not needed any more.
    ///
    /// Belongs to the deliverer; see `Waiter.withdraw`.
    @usableFromInline
    @exclusivity(unchecked)
    var step: Step?
    @usableFromInline
    let location: SourceLocation

    @inlinable
    init(_ step: Step, at location: SourceLocation, deliver: @escaping Delivery) {
        self.step = step
        self.location = location
        super.init(deliver: deliver)
    }

    /// Adds a step to a future.
    @inlinable
    static func make(
        after upstream: Future<Value>, _ step: Step, at location: SourceLocation
    ) -> Future<Value> {
        let future = StepFuture(step, at: location) { waiter, source in
            unsafeDowncast(waiter, to: StepFuture.self)
                .receive(unsafeDowncast(source, to: Future<Value>.self))
        }
        if upstream.isSettled, enterDelivery() {
            future.receive(upstream)
            future.shorten()
            leaveDelivery()
        } else {
            upstream.enroll(future.retained())
        }
        return future
    }

    @inlinable
    func receive(_ source: Future<Value>) {
        guard isPending, let step else {
            waitUntilLeft()
            return withdraw()
        }
        do {
            if let failure = source.failure {
                try receive(failure, for: step, from: source)
            } else {
                try receive(source.storage.unsafelyUnwrapped, for: step, from: source)
            }
        } catch {
            self.step = nil
            failDerived(Failure(error, thrownAt: location))
        }
    }

    @inlinable
    func receive(_ value: Value, for step: Step, from source: Future<Value>) throws {
        switch step {
        case .mapError, .recover, .flatMapError, .onFailure: break
        case .ensure(let predicate):
            if try !predicate(value) { throw FutureError(.notEnsured, at: location) }
        case .always(let body): body()
        case .onSuccess(let body): body(value)
        case .onEnd(let body): body(.success(value))
        case .continued(let next):
            let inner = next(.success(value))
            self.step = nil
            if let inner { return follow(inner) }
        }
        self.step = nil
        finishDerived(as: source)
    }

    @inlinable
    func receive(_ failure: Failure, for step: Step, from source: Future<Value>) throws {
        switch step {
        case .ensure, .onSuccess: break
        case .mapError(let transform):
            let error = try transform(failure.error)
            self.step = nil
            // Transformed, not thrown: the step that threw is still the one to name.
            failDerived(Failure(error, thrownAt: failure.origin))
            return
        case .recover(let transform):
            let value = try transform(failure.error)
            self.step = nil
            return succeedDerived(value)
        case .flatMapError(let transform):
            let inner = try transform(failure.error)
            self.step = nil
            return follow(inner)
        case .always(let body): body()
        case .onFailure(let body): body(failure.error)
        case .onEnd(let body): body(.failure(failure.error))
        case .continued(let next):
            let inner = next(.failure(failure.error))
            self.step = nil
            if let inner { return follow(inner) }
        }
        self.step = nil
        finishDerived(as: source)
    }

    @usableFromInline
    override func withdraw() {
        let step = step
        self.step = nil
        // Always is always: also when this was given up before there was a result.
        switch step {
        case .always(let body): body()
        case .onEnd(let body): body(.failure(CancellationError()))
        default: break
        }
    }
}
