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
