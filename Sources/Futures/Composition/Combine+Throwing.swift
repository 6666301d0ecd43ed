/// Makes a function of no arguments from a value and a function that may throw and returns a future.
///
/// Otherwise it does what `combine` of the module Composition does, which Swift chooses if nothing throws.
///
/// - Parameters:
///   - value: The value.
///   - closure: The function to call with it.
/// - Returns: A function that never throws. If `closure` throws, it returns a future that has rejected with
///   that error.
@_disfavoredOverload
@inlinable
public func combine<Value: Sendable, Output>(
    _ value: Value,
    with closure: @escaping @Sendable (Value) throws -> Future<Output>
) -> @Sendable () -> Future<Output> {
    // Separate from the overload below for the same reason as the two overloads of Composition.
    { Future.catching { try closure(value) } }
}

/// Makes a function of no arguments from values and a function that may throw and returns a future.
///
/// - Parameters:
///   - value: The values, any number of them, in the order in which `closure` takes them.
///   - closure: The function to call with them.
/// - Returns: A function that never throws; see the overload for one value.
@_disfavoredOverload
@inlinable
public func combine<each Value: Sendable, Output>(
    _ value: repeat each Value,
    with closure: @escaping @Sendable (repeat each Value) throws -> Future<Output>
) -> @Sendable () -> Future<Output> {
    let values = (repeat each value)
    return { Future.catching { try closure(repeat each values) } }
}
