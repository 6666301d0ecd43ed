/// Joins two functions that may throw, if the second returns a future.
///
/// ```
/// let send = chain(Endpoint.order, to: networking)  // (Order) -> Future<Data>
/// ```
///
/// In all other respects, it works like `chain` from the module Composition. If neither function throws, Swift chooses
/// the `chain` of that module.
///
/// - Parameters:
///   - inner: The function to call first.
///   - outer: The function to call with the result of `inner`.
/// - Returns: A function that never throws. If `inner` or `outer` throws, it returns a future that has failed with
///   that error.
@_disfavoredOverload
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) throws -> Middle,
    to outer: @escaping @Sendable (Middle) throws -> Future<Output>
) -> @Sendable (Input) -> Future<Output> {
    { input in Future.catching { try outer(inner(input)) } }
}

/// Joins three functions that may throw, if the last one returns a future.
///
/// In all other respects, it works like the `chain` of three functions from the module Composition.
///
/// - Returns: A function that never throws; see the overload for two functions.
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
    /// The future that a function returns, or a future that has failed with the error that the function throws.
    @usableFromInline
    static func catching(_ make: () throws -> Future) -> Future {
        do { return try make() } catch { return Future(error: error) }
    }
}

/// Binds a value to a function that may throw and returns a future.
///
/// In all other respects, it works like `combine` from the module Composition. If nothing throws, Swift chooses the
/// `combine` of that module.
///
/// - Parameters:
///   - value: The value.
///   - closure: The function to call with the value.
/// - Returns: A function without arguments that never throws. If `closure` throws, it returns a future that has
///   failed with that error.
@_disfavoredOverload
@inlinable
public func combine<Value: Sendable, Output>(
    _ value: Value,
    with closure: @escaping @Sendable (Value) throws -> Future<Output>
) -> @Sendable () -> Future<Output> {
    // One value needs this separate overload, because Swift 6.3 crashes if a function whose only argument is a tuple is
    // passed as a function of a parameter pack.
    { Future.catching { try closure(value) } }
}

/// Binds several values to a function that may throw and returns a future.
///
/// - Parameters:
///   - value: The values, any number of them, in the order in which `closure` takes them.
///   - closure: The function to call with the values.
/// - Returns: A function without arguments that never throws; see the overload for one value.
@_disfavoredOverload
@inlinable
public func combine<each Value: Sendable, Output>(
    _ value: repeat each Value,
    with closure: @escaping @Sendable (repeat each Value) throws -> Future<Output>
) -> @Sendable () -> Future<Output> {
    let values = (repeat each value)
    return { Future.catching { try closure(repeat each values) } }
}
