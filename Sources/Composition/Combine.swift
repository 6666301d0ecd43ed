/// Makes a function of no arguments from a function and the value to call it with.
///
/// ```
/// let load = combine(7, with: loadProduct)  // () -> Future<Product>
/// ```
///
/// The value is captured once, now: a later change to a variable it came from is not seen. Each
/// call of the result calls `closure` anew, on the thread of that call; nothing is remembered from
/// one call to the next.
///
/// - Parameters:
///   - value: The value.
///   - closure: The function to call with it.
/// - Returns: A function that calls `closure` with the value.
/// - Complexity: One closure context, and one call.
@inlinable
public func combine<Value: Sendable, Output>(
    _ value: Value,
    with closure: @escaping @Sendable (Value) -> Output
) -> @Sendable () -> Output {
    // Not left to the overload below: Swift 6.3 crashes where it passes a function whose one
    // argument is a tuple, such as `(()) -> Void`, for a function of a parameter pack.
    { closure(value) }
}

/// Makes a function of no arguments from a function and the values to call it with.
///
/// ```
/// let search = combine("tea", 20, with: searchProducts)  // () -> Future<[Product]>
/// ```
///
/// All else is as with one value.
///
/// - Parameters:
///   - value: The values, any number of them, in the order in which `closure` takes them.
///   - closure: The function to call with them.
/// - Returns: A function that calls `closure` with the values.
/// - Complexity: One closure context, and one call.
@inlinable
public func combine<each Value: Sendable, Output>(
    _ value: repeat each Value,
    with closure: @escaping @Sendable (repeat each Value) -> Output
) -> @Sendable () -> Output {
    let values = (repeat each value)
    return { closure(repeat each values) }
}
