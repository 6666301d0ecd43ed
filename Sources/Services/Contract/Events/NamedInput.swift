/// An input that can say what is asked for, in words that may be written to a log.
///
/// ```swift
/// extension ProductQuery: NamedInput {
///     var loggedName: String { "products of page \(page)" }
/// }
/// ```
///
/// An error of a policy's own, such as one of a timeout, names its input by this. Nothing is
/// written of an input that does not conform: it may hold secrets.
public protocol NamedInput {
    /// What is asked for. It must hold no secrets.
    var loggedName: String { get }
}

/// What is asked for, nil where the input does not say it.
func loggedName(of input: some Sendable) -> String? { (input as? any NamedInput)?.loggedName }
