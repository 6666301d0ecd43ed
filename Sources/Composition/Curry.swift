/// Turns a function of two arguments into a function that takes them one after the other.
///
/// ```
/// let search = curry(searchProducts)  // (String) -> (Int) -> Future<[Product]>
/// let teas = search("tea")            // (Int) -> Future<[Product]>
/// ```
///
/// `function` runs each time you pass the last argument, on the thread that passes it.
///
/// - Parameter function: The function of two arguments.
/// - Returns: A function from the first argument to a function from the second argument to the output.
/// - Complexity: One closure context for each argument before the last.
@inlinable
public func curry<First: Sendable, Second, Output>(
    _ function: @escaping @Sendable (First, Second) -> Output
) -> @Sendable (First) -> @Sendable (Second) -> Output {
    { first in { second in function(first, second) } }
}

/// Turns a function of three arguments into a function that takes them one after the other.
///
/// ```
/// let search = curry(searchShop)  // (Shop) -> (String) -> (Int) -> Future<[Product]>
/// ```
///
/// `function` runs each time you pass the last argument, on the thread that passes it.
///
/// - Parameter function: The function of three arguments.
/// - Returns: A function from the first argument to a function from the second argument to a function from the
///   third argument to the output.
/// - Complexity: One closure context for each argument before the last.
@inlinable
public func curry<First: Sendable, Second: Sendable, Third, Output>(
    _ function: @escaping @Sendable (First, Second, Third) -> Output
) -> @Sendable (First) -> @Sendable (Second) -> @Sendable (Third) -> Output {
    { first in { second in { third in function(first, second, third) } } }
}
