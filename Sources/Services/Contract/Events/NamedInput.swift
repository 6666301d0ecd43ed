/// An input with a name that may be written to a log.
///
/// ```swift
/// extension ProductQuery: NamedInput {
///     var loggedName: String { "products of page \(page)" }
/// }
/// ```
///
/// A policy's own error, such as that of a timeout, contains this name. Nothing is written about an input
/// that does not conform: it may hold secrets.
public protocol NamedInput {
    /// The name. It must hold no secrets.
    var loggedName: String { get }
}

/// The name of an input; nil if it does not conform.
func loggedName(of input: some Sendable) -> String? { (input as? any NamedInput)?.loggedName }
