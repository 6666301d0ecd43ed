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

/// Joins a function and an instance method of its result.
///
/// An instance method that you name through its type, such as `Future.decoded`, is a curried function: it takes the
/// instance and returns a function of no arguments. This overload also calls that function.
///
/// ```
/// let load: @Sendable (Product.ID) -> Future<Product> = chain(loadData, to: Future.decoded)
/// ```
///
/// If both overloads match, Swift chooses this one, which is more specific. If the context expects a function that
/// returns a function, Swift chooses the other overload.
///
/// - Parameters:
///   - inner: The function to call first.
///   - outer: The method to call on the output of `inner`.
/// - Returns: A function from the input of `inner` to the output of the method.
/// - Complexity: Two closure contexts, and three calls.
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) -> Middle,
    to outer: @escaping @Sendable (Middle) -> () -> Output
) -> @Sendable (Input) -> Output {
    // The annotation selects the overload above. Without it, this overload would call itself.
    let uncurried: @Sendable (Middle) -> Output = { outer($0)() }
    return chain(inner, to: uncurried)
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
///   - third: The function, or the method, to call with the output of `second`.
/// - Returns: A function from the input of `first` to the output of `third`.
@inlinable
public func chain<Input, A, B, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> Output
) -> @Sendable (Input) -> Output {
    { third(second(first($0))) }
}

/// Joins two functions and an instance method of the second one's result, such as `Future.decoded`.
///
/// See the `chain` of three functions.
@inlinable
public func chain<Input, A, B, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> () -> Output
) -> @Sendable (Input) -> Output {
    { third(second(first($0)))() }
}

/// Joins four functions; see the `chain` of three functions.
@inlinable
public func chain<Input, A, B, C, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> C, to fourth: @escaping @Sendable (C) -> Output
) -> @Sendable (Input) -> Output {
    { fourth(third(second(first($0)))) }
}

/// Joins five functions; see the `chain` of three functions.
@inlinable
public func chain<Input, A, B, C, D, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> C, to fourth: @escaping @Sendable (C) -> D,
    to fifth: @escaping @Sendable (D) -> Output
) -> @Sendable (Input) -> Output {
    { fifth(fourth(third(second(first($0))))) }
}
