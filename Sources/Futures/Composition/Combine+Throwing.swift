/// Makes a function of no arguments from a value and a function that may throw and returns a future.
///
/// All else is as with `combine` of the module Composition, which is taken where nothing throws.
///
/// - Parameters:
///   - value: The value.
///   - closure: The function to call with it.
/// - Returns: A function that throws nothing: where `closure` throws, its future rejects with that
///   error, and has settled when it is returned.
@_disfavoredOverload
@inlinable
public func combine<Value: Sendable, Output>(
    _ value: Value,
    with closure: @escaping @Sendable (Value) throws -> Future<Output>
) -> @Sendable () -> Future<Output> {
    // Apart from the overload below for the reason that Composition's two are.
    { Future.catching { try closure(value) } }
}

/// Makes a function of no arguments from values and a function that may throw and returns a future.
///
/// - Parameters:
///   - value: The values, any number of them, in the order in which `closure` takes them.
///   - closure: The function to call with them.
/// - Returns: A function that throws nothing; see the overload for one value.
@_disfavoredOverload
@inlinable
public func combine<each Value: Sendable, Output>(
    _ value: repeat each Value,
    with closure: @escaping @Sendable (repeat each Value) throws -> Future<Output>
) -> @Sendable () -> Future<Output> {
    let values = (repeat each value)
    return { Future.catching { try closure(repeat each values) } }
}
