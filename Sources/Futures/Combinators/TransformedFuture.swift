/// The kind of a transform, with the user's closure.
///
/// This is one enum instead of a type for each transform. So one class of futures serves all transforms, and its code
/// exists once in this module, not once for each use in an app; see
/// Docs/Decisions/Futures/which-code-of-a-future-an-app-compiles.md. Only `map`, `observe` and the delivery of
/// `flatMap` are compiled where they are used.
@usableFromInline
enum Transform<Input: Sendable, Output: Sendable>: Sendable {
    case map(@Sendable (Input) throws -> Output)
    case flatMap(@Sendable (Input) throws -> Future<Output>, CallerContext)
    case flatMapResult(@Sendable (Result<Input, any Error>) throws -> Future<Output>, CallerContext)

    // In the cases below, `Input` and `Output` are the same type.
    case flatMapSomeResults(@Sendable (Result<Input, any Error>) -> Future<Output>?, CallerContext)
    case flatMapAtEnd(@Sendable (Result<Input, any Error>?) -> Future<Output>?)
    case recover(@Sendable (any Error) throws -> Output)
    case flatMapError(@Sendable (any Error) throws -> Future<Output>, CallerContext)
    case mapError(@Sendable (any Error) throws -> any Error)
    case filter(@Sendable (Input) throws -> Bool)
    case onSuccess(@Sendable (Input) -> Void)
    case onFailure(@Sendable (any Error) -> Void)
    case onEnd(@Sendable (Result<Input, any Error>) -> Void)
    case replaceAtEnd(@Sendable (Result<Input, any Error>) -> Result<Output, any Error>?)
    case always(@Sendable () -> Void)

    /// The closure was applied, or is no longer needed, and is released.
    case dropped
}

extension Transform {
    /// Applies the transform to a result.
    ///
    /// - Parameters:
    ///   - source: The upstream, which has settled.
    ///   - location: The place of the transform, for the error of a predicate that returns false.
    func apply(to source: Future<Input>, at location: CodeLocation?) throws -> TransformResult<
        Output
    > {
        switch (self, source.failure) {
        case (.map(let body), nil): return .value(try body(source.settledValue))
        case (.flatMap(let body, let context), nil):
            return .future(try context.run { try body(source.settledValue) })
        case (.flatMapResult(let body, let context), _):
            return .future(try context.run { try body(source.settledResult) })
        case (.map, let failure?), (.flatMap, let failure?): return .failure(failure)

        case (.flatMapSomeResults(let body, let context), _):
            guard let next = context.run({ body(source.settledResult) }) else { return .unchanged }
            return .future(next)
        case (.flatMapAtEnd(let body), _):
            return body(source.settledResult).map { .future($0) } ?? .unchanged
        case (.recover(let body), let failure?): return .value(try body(failure.error))
        case (.flatMapError(let body, let context), let failure?):
            return .future(try context.run { try body(failure.error) })
        case (.mapError(let body), let failure?):
            // `mapError` returns the new error instead of throwing it, so the origin is still the step that threw the
            // old error.
            return .failure(Failure(try body(failure.error), thrownAt: failure.origin))
        case (.filter(let predicate), nil):
            guard try predicate(source.settledValue) else {
                throw FutureError(.notEnsured, at: location)
            }
        case (.onSuccess(let body), nil): body(source.settledValue)
        case (.onFailure(let body), let failure?): body(failure.error)
        case (.onEnd(let body), _): body(source.settledResult)
        case (.replaceAtEnd(let body), _):
            switch body(source.settledResult) {
            case .success(let value): return .value(value)
            case .failure(let error): return .failure(Failure(error))
            case nil: break
            }
        case (.always(let body), _): body()
        case (.recover, nil), (.flatMapError, nil), (.mapError, nil), (.onFailure, nil),
            (.filter, _?), (.onSuccess, _?):
            break
        case (.dropped, _): preconditionFailure("a transform is applied once")
        }
        return .unchanged
    }

    /// Calls the closure if it must hear of every end, such as the closure of `always`, because nobody waits any more.
    func giveUp() {
        switch self {
        case .always(let body): body()
        case .onEnd(let body): body(.failure(CancellationError()))
        case .flatMapAtEnd(let body): _ = body(nil)
        case .replaceAtEnd(let body): _ = body(.failure(CancellationError()))
        default: break
        }
    }
}

/// What a transform makes of the upstream's result.
enum TransformResult<Value: Sendable> {
    case value(Value)
    case failure(Failure)
    /// The result of the associated future, which may still be pending.
    case future(Future<Value>)
    /// The upstream's own result, for a transform whose input and output have the same type.
    case unchanged
}

/// The future that a transform returns, which is also the node that waits for the upstream.
@usableFromInline
final class TransformedFuture<Input: Sendable, Output: Sendable>: DerivedFuture<Output>,
    @unchecked Sendable
{
    /// The transform, with the user's closure.
    ///
    /// Only one thread uses it: the thread that delivers to this node or, if this node was given up, the thread that
    /// calls `dropClosure`.
    @usableFromInline @exclusivity(unchecked) var transform: Transform<Input, Output>

    /// The line that registered the transform; nil if the framework registered it.
    @usableFromInline let location: CodeLocation?

    @inlinable
    init(
        _ transform: Transform<Input, Output>, at location: CodeLocation?,
        deliver: @escaping Delivery
    ) {
        self.transform = transform
        self.location = location
        super.init(deliver: deliver)
    }

    override func receive(_ source: FutureNode) {
        let source = unsafeDowncast(source, to: Future<Input>.self)
        guard isPending else { return receiveGivenUp() }
        do {
            let outcome = try transform.apply(to: source, at: location)
            transform = .dropped
            switch outcome {
            case .value(let value): succeedDerived(value)
            case .failure(let failure): failDerived(failure)
            case .future(let inner): adopt(inner)
            case .unchanged: finishDerived(as: unsafeDowncast(source, to: Future<Output>.self))
            }
        } catch {
            receiveThrown(error)
        }
    }

    /// Takes the upstream's result for a `map`; specialised where the `map` is used.
    @inlinable
    func receiveMapped(_ source: Future<Input>) {
        guard isPending, source.hasSucceeded, case .map(let body) = transform else {
            return receiveOther(source)
        }
        do {
            let value = try body(source.settledValue)
            transform = .dropped
            succeedDerived(value)
        } catch {
            receiveThrown(error)
        }
    }

    /// Takes the upstream's result for a `flatMap`; specialised where the `flatMap` is used.
    @inlinable
    func receiveFlatMapped(_ source: Future<Input>) {
        guard isPending, source.hasSucceeded, case .flatMap(let body, let context) = transform,
            context.isBound
        else { return receiveOther(source) }
        do {
            let inner = try body(source.settledValue)
            transform = .dropped
            adopt(inner)
        } catch {
            receiveThrown(error)
        }
    }

    /// Takes a result that the specialised functions don't handle, such as a failure.
    @usableFromInline
    func receiveOther(_ source: Future<Input>) { receive(source) }

    /// Drops the closure, which has thrown an error, and fails with that error.
    @usableFromInline
    func receiveThrown(_ error: any Error) {
        transform = .dropped
        failDerived(Failure(error, thrownAt: location))
    }

    private func receiveGivenUp() {
        waitUntilDetached()
        dropClosure()
    }

    override func dropClosure() {
        let transform = transform
        self.transform = .dropped
        transform.giveUp()
    }

    override var origin: CodeLocation? { location }
}

extension Future {
    /// Adds a transform: applies it at once if this future has settled, or else adds a node that waits.
    ///
    /// - Parameter deliver: The function that takes the result. An inlinable function creates it in the code that uses
    ///   the transform, so that the compiler specialises it.
    @usableFromInline
    final func transformed<NewValue: Sendable>(
        by transform: Transform<Value, NewValue>, at location: CodeLocation?,
        deliver: @escaping FutureNode.Delivery = FutureNode.deliverByOverride
    ) -> Future<NewValue> {
        if hasSettled, enterDelivery() {
            let future = transformedAtOnce(by: transform, at: location)
            future.spliceOutUpstream()
            Self.leaveDelivery()
            return future
        }
        let future = TransformedFuture(transform, at: location, deliver: deliver)
        enroll(future.retained())
        return future
    }

    /// The future that a transform makes of this settled future.
    private final func transformedAtOnce<NewValue: Sendable>(
        by transform: Transform<Value, NewValue>, at location: CodeLocation?
    ) -> Future<NewValue> {
        do {
            // The usual case avoids an `Outcome`, a generic value that costs more than a reference.
            if case .flatMap(let body, let context) = transform, hasSucceeded, context.isBound {
                return forwarding(try body(settledValue))
            }
            switch try transform.apply(to: self, at: location) {
            case .value(let value): return Future<NewValue>(value: value)
            case .failure(let failure): return Future<NewValue>(sharing: failure)
            case .future(let inner): return forwarding(inner)
            case .unchanged: return unsafeDowncast(self, to: Future<NewValue>.self)
            }
        } catch {
            return Future<NewValue>(sharing: Failure(error, thrownAt: location))
        }
    }

    /// A future that settles with the result of `inner`; or `inner` itself, if it has settled.
    private final func forwarding<NewValue: Sendable>(
        _ inner: Future<NewValue>
    ) -> Future<NewValue> {
        if inner.hasSettled { return inner }
        let future = DerivedFuture<NewValue>(deliver: { _, _ in })
        future.adopt(inner)
        return future
    }

    /// A future of another type that has failed with this future's error.
    @usableFromInline
    final func failed<NewValue: Sendable>() -> Future<NewValue> {
        Future<NewValue>(sharing: failure.unsafelyUnwrapped)
    }

    /// A future that has failed with an error that a transform threw.
    @usableFromInline
    final func failed<NewValue: Sendable>(
        by error: any Error, at location: CodeLocation?
    ) -> Future<NewValue> {
        Future<NewValue>(sharing: Failure(error, thrownAt: location))
    }

    /// Settles this derived future with the result of `inner`, now or when `inner` settles.
    @usableFromInline
    final func adopt(_ inner: Future<Value>) {
        if inner.hasSettled, inner !== self {
            finishDerived(as: inner)
        } else {
            forward(from: inner, deliver: Self.deliverByForwarding)
        }
    }
}
