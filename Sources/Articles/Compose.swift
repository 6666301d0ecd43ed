public import PledgeComposition

/// Joins two functions, left to right: another name for `chain(_:to:)`.
///
/// ```
/// compose(multiply, and: increment)(10)  // 101: first 10 * 10, then 100 + 1
/// ```
///
/// This name is for code that follows the articles. In new code, write `chain(_:to:)`, which also takes an instance
/// method such as `Future.decoded`.
///
/// - Parameters:
///   - first: The function to call first.
///   - second: The function to call with the result of `first`.
/// - Returns: A function from the input of `first` to the output of `second`. Both run on the thread that calls the
///   returned function.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func compose<Input, Middle, Output>(
    _ first: @escaping @Sendable (Input) -> Middle,
    and second: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    chain(first, to: second)
}

/// Joins two functions, left to right: another name for `chain(_:to:)`.
///
/// ```
/// compose(multiply, increment)(10)  // 101
/// ```
///
/// This name is for code that follows the articles. It has the same form as the `compose` for callback actions. In new
/// code, write `chain(_:to:)`.
///
/// - Parameters:
///   - first: The function to call first.
///   - second: The function to call with the result of `first`.
/// - Returns: A function from the input of `first` to the output of `second`. Both run on the thread that calls the
///   returned function.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func compose<Input, Middle, Output>(
    _ first: @escaping @Sendable (Input) -> Middle,
    _ second: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    chain(first, to: second)
}
