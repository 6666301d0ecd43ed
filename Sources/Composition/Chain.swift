/// Makes one function of two: the second is called with what the first returns.
///
/// ```
/// let loadData = chain(Endpoint.product, to: networking)  // (Product.ID) -> Future<Data>
/// ```
///
/// This is the word to use for joining functions; `compose` does the same under the names of
/// another article. Both functions run on the thread that calls the result, `inner` first.
///
/// - Parameters:
///   - inner: The function that is called first.
///   - outer: The function that is called with what `inner` returned.
/// - Returns: A function from what `inner` takes to what `outer` returns.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) -> Middle,
    to outer: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    { outer(inner($0)) }
}

/// Makes one function of a function and an instance method of what it returns.
///
/// An instance method named through its type, such as `Future.decoded`, is a curried function: it
/// takes the instance and returns a function of no arguments. This overload calls the method too.
///
/// ```
/// let load: @Sendable (Product.ID) -> Future<Product> = chain(loadData, to: Future.decoded)
/// ```
///
/// Where both overloads fit, Swift takes this one, as the more specific; a context that asks for a
/// function which returns a function gets the other.
///
/// - Parameters:
///   - inner: The function that is called first.
///   - outer: The method that is then called on what `inner` returned.
/// - Returns: A function from what `inner` takes to what the method returns.
/// - Complexity: Two closure contexts, and three calls.
@inlinable
public func chain<Input, Middle, Output>(
    _ inner: @escaping @Sendable (Input) -> Middle,
    to outer: @escaping @Sendable (Middle) -> () -> Output
) -> @Sendable (Input) -> Output {
    // The annotation picks the overload above; without it this one would call itself.
    let uncurried: @Sendable (Middle) -> Output = { outer($0)() }
    return chain(inner, to: uncurried)
}
