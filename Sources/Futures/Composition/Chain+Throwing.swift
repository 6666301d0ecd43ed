/// Makes one function of two that may throw, if the second returns a future.
///
/// ```
/// let send = chain(Endpoint.order, to: networking)  // (Order) -> Future<Data>
/// ```
///
/// Otherwise it does what `chain` of the module Composition does, which Swift chooses if neither throws.
///
/// - Parameters:
///   - inner: The function that is called first.
///   - outer: The function that is called with what `inner` returned.
/// - Returns: A function that never throws. If one of the two throws, it returns a future that has rejected
///   with that error.
@_disfavoredOverload
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) throws -> Middle,
    to outer: @escaping @Sendable (Middle) throws -> Future<Output>
) -> @Sendable (Input) -> Future<Output> {
    { input in Future.catching { try outer(inner(input)) } }
}

/// Makes one function of a function that may throw and an instance method of its result.
///
/// ```
/// let send: @Sendable (Order) -> Future<Receipt> = chain(
///     { try networking(.order($0)) }, to: Future.decoded)
/// ```
///
/// - Parameters:
///   - inner: The function that is called first.
///   - outer: The method that is then called on what `inner` returned.
/// - Returns: A function that never throws; see the other overload.
@_disfavoredOverload
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) throws -> Middle,
    to outer: @escaping @Sendable (Middle) -> () throws -> Future<Output>
) -> @Sendable (Input) -> Future<Output> {
    { input in Future.catching { try outer(inner(input))() } }
}

/// Makes one function of three that may throw, if the last one returns a future; otherwise as the `chain` of three.
///
/// - Returns: A function that never throws; see the overload of two.
@_disfavoredOverload
@inlinable
public func chain<Input, A, B, Output>(
    _ first: @escaping @Sendable (Input) throws -> A,
    to second: @escaping @Sendable (A) throws -> B,
    to third: @escaping @Sendable (B) throws -> Future<Output>
) -> @Sendable (Input) -> Future<Output> {
    { input in Future.catching { try third(second(first(input))) } }
}

extension Future {
    /// The future that a function returns, or one that rejects with what the function throws.
    @usableFromInline
    static func catching(_ make: () throws -> Future) -> Future {
        do { return try make() } catch { return Future(error: error) }
    }
}
