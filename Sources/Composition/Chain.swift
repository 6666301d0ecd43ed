/// Joins two functions: the second is called with the result of the first.
///
/// ```
/// let loadData = chain(Endpoint.product, to: networking)  // (Product.ID) -> Future<Data>
/// ```
///
/// In new code, use this function to join functions. `compose` does the same, for code that follows the articles. Both
/// functions run on the thread that calls the returned function, `inner` first.
///
/// - Parameters:
///   - inner: The function to call first.
///   - outer: The function to call with the output of `inner`.
/// - Returns: A function from the input of `inner` to the output of `outer`.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) -> Middle,
    to outer: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    { outer(inner($0)) }
}

/// Joins three functions: each is called with the result of the one before it.
///
/// ```
/// let loadProduct = chain(Endpoint.product, to: networking, to: Future.decoded(as: Product.self))
/// ```
///
/// - Parameters:
///   - first: The function to call first.
///   - second: The function to call with the output of `first`.
///   - third: The function to call with the output of `second`.
/// - Returns: A function from the input of `first` to the output of `third`.
@inlinable
public func chain<Input, A, B, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> Output
) -> @Sendable (Input) -> Output {
    { third(second(first($0))) }
}
