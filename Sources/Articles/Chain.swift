public import PledgeComposition

/// Joins a function and an instance method of its result.
///
/// An instance method that you name through its type, such as `Future.decoded`, is a curried function: it takes the
/// instance and returns a function of no arguments. This overload also calls that function.
///
/// ```
/// let load: @Sendable (Product.ID) -> Future<Product> = chain(loadData, to: Future.decoded)
/// ```
///
/// If this overload and the `chain` of PledgeComposition both match, Swift chooses this one, which is more specific. If
/// the context expects a function that returns a function, Swift chooses the other one. In new code, chain a closure:
/// `chain(loadData, to: { $0.decoded(as: Product.self) })`.
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
    // The annotation selects the other overload. Without it, this overload would call itself.
    let uncurried: @Sendable (Middle) -> Output = { outer($0)() }
    return chain(inner, to: uncurried)
}
