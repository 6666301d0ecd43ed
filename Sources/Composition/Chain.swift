/// Makes one function of two: the second is called with what the first returns.
///
/// ```
/// let loadData = chain(Endpoint.product, to: networking)  // (Product.ID) -> Future<Data>
/// ```
///
/// This is the function for joining functions; `compose` does the same with the name from another article.
/// Both functions run on the thread that calls the result, `inner` first.
///
/// - Parameters:
///   - inner: The function that is called first.
///   - outer: The function that is called with the output of `inner`.
/// - Returns: A function from the input of `inner` to the output of `outer`.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) -> Middle,
    to outer: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    { outer(inner($0)) }
}

/// Makes one function of a function and an instance method of its result.
///
/// An instance method named through its type, such as `Future.decoded`, is a curried function: it
/// takes the instance and returns a function of no arguments. This overload calls the method too.
///
/// ```
/// let load: @Sendable (Product.ID) -> Future<Product> = chain(loadData, to: Future.decoded)
/// ```
///
/// If both overloads match, Swift chooses this one, which is more specific; in a context of a function that
/// returns a function it chooses the other.
///
/// - Parameters:
///   - inner: The function that is called first.
///   - outer: The method that is then called on the output of `inner`.
/// - Returns: A function from the input of `inner` to the output of the method.
/// - Complexity: Two closure contexts, and three calls.
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) -> Middle,
    to outer: @escaping @Sendable (Middle) -> () -> Output
) -> @Sendable (Input) -> Output {
    // The annotation selects the overload above; without it this one would call itself.
    let uncurried: @Sendable (Middle) -> Output = { outer($0)() }
    return chain(inner, to: uncurried)
}

/// Makes one function of three, each of which is called with what the one before it returns.
///
/// ```
/// let loadProduct = chain(Endpoint.product, to: networking, to: Future.decoded(as: Product.self))
/// ```
///
/// - Parameters:
///   - first: The function that is called first.
///   - second: The function that is called with the output of `first`.
///   - third: The function, or the method, that is called with the output of `second`.
/// - Returns: A function from the input of `first` to the output of `third`.
@inlinable
public func chain<Input, A, B, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> Output
) -> @Sendable (Input) -> Output {
    { third(second(first($0))) }
}

/// Makes one function of two and an instance method of the second one's result, such as `Future.decoded`; see the `chain` of
/// three.
@inlinable
public func chain<Input, A, B, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> () -> Output
) -> @Sendable (Input) -> Output {
    { third(second(first($0)))() }
}

/// Makes one function of four; see the `chain` of three.
@inlinable
public func chain<Input, A, B, C, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> C, to fourth: @escaping @Sendable (C) -> Output
) -> @Sendable (Input) -> Output {
    { fourth(third(second(first($0)))) }
}

/// Makes one function of five; see the `chain` of three.
@inlinable
public func chain<Input, A, B, C, D, Output>(
    _ first: @escaping @Sendable (Input) -> A, to second: @escaping @Sendable (A) -> B,
    to third: @escaping @Sendable (B) -> C, to fourth: @escaping @Sendable (C) -> D,
    to fifth: @escaping @Sendable (D) -> Output
) -> @Sendable (Input) -> Output {
    { fifth(fourth(third(second(first($0))))) }
}
