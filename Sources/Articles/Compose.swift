public import PledgeComposition

/// Makes one function of two, left to right: another name for `chain(_:to:)`.
///
/// ```
/// compose(multiply, and: increment)(10)  // 101: first 10 * 10, then 100 + 1
/// ```
///
/// It exists because code that follows the articles uses this name. Write `chain(_:to:)` in new code: it also
/// takes an instance method, such as `Future.decoded`.
///
/// - Parameters:
///   - first: The function that is called first.
///   - second: The function that is called with the result of `first`.
/// - Returns: A function from the input of `first` to the output of `second`. It runs both on the thread that
///   calls it.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func compose<Input, Middle, Output>(
    _ first: @escaping @Sendable (Input) -> Middle,
    and second: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    chain(first, to: second)
}

/// Makes one function of two, left to right: another name for `chain(_:to:)`.
///
/// ```
/// compose(multiply, increment)(10)  // 101
/// ```
///
/// It exists because code that follows the articles uses this name, and because callback Actions have a
/// `compose` of the same shape. Write `chain(_:to:)` in new code.
///
/// - Parameters:
///   - first: The function that is called first.
///   - second: The function that is called with the result of `first`.
/// - Returns: A function from the input of `first` to the output of `second`. It runs both on the thread that
///   calls it.
/// - Complexity: One closure context that holds the two functions, and two calls.
@inlinable
public func compose<Input, Middle, Output>(
    _ first: @escaping @Sendable (Input) -> Middle,
    _ second: @escaping @Sendable (Middle) -> Output
) -> @Sendable (Input) -> Output {
    chain(first, to: second)
}
