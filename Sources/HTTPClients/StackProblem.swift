public import PledgeServices

/// A known problem in the order of a stack.
public struct StackProblem {
    /// The part that should not be outside ``inner``; the same part if the stack has it twice.
    public let outer: String

    /// The part that should not be inside ``outer``.
    public let inner: String

    /// The consequence, in a sentence.
    public let consequence: String
}

/// Lists the known problems of a stack, without building it.
///
/// ```swift
/// for problem in problems(of: .timeout(.seconds(2)), .circuitBreaker(), .retry()) { print(problem) }
/// ```
///
/// It looks at the middleware of this library by its name (`Middleware.parts`); middleware without a name,
/// and middleware that an `each` makes for a key, is skipped. An order that is not listed may still be wrong
/// for you: the page "The whole stack" has the reasons.
///
/// - Parameter middleware: The parts, outermost first, as `stack` takes them.
/// - Returns: The problems, in the order of the outer and then of the inner part; each once. Empty if none is
///   known.
public func problems<Input, Output>(
    of middleware: Middleware<Input, Output>...
) -> [StackProblem] {
    let parts = Middleware(stacking: middleware).parts
    var found: [StackProblem] = []
    for (index, outer) in parts.enumerated() {
        for innerIndex in parts.indices[(index + 1)...] {
            let inner = parts[innerIndex]
            // A timeout around a part with a timeout of its own limits the whole.
            if outer == "timeout", parts[innerIndex...].contains(outer) { continue }
            guard let consequence = StackProblem.consequences[outer]?[inner] else { continue }
            let problem = StackProblem(outer: outer, inner: inner, consequence: consequence)
            if !found.contains(problem) { found.append(problem) }
        }
    }
    return found
}

extension StackProblem: CustomStringConvertible {
    /// Like "retry above idempotencyKey: each attempt has its own key, …".
    public var description: String {
        outer == inner
            ? "\(outer) twice: \(consequence)" : "\(outer) above \(inner): \(consequence)"
    }
}

extension StackProblem: Hashable, Sendable {}
