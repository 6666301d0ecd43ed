/// Binds a value to a function, and returns a function of no arguments.
///
/// ```
/// let load = combine(7, with: loadProduct)  // () -> Future<Product>
/// ```
///
/// The value is captured when you call `combine`, so a later change of a variable has no effect. Each call of the
/// returned function calls `closure` again, on the thread of that call. No state is kept between calls.
///
/// - Parameters:
///   - value: The value.
///   - closure: The function to call with the value.
/// - Returns: A function that calls `closure` with the value.
/// - Complexity: One closure context, and one call.
@inlinable
public func combine<Value: Sendable, Output>(
    _ value: Value,
    with closure: @escaping @Sendable (Value) -> Output
) -> @Sendable () -> Output {
    // One value needs this separate overload, because Swift 6.3 crashes if a function whose only argument is a tuple,
    // such as `(()) -> Void`, is passed as a function of a parameter pack.
    { closure(value) }
}

/// Binds several values to a function, and returns a function of no arguments.
///
/// ```
/// let search = combine("tea", 20, with: searchProducts)  // () -> Future<[Product]>
/// ```
///
/// This works like the overload for one value.
///
/// - Parameters:
///   - value: The values, any number of them, in the order in which `closure` takes them.
///   - closure: The function to call with the values.
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
