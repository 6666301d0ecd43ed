/// An open set of named values, such as the codes of an error.
///
/// Other modules print a code as its name, and can't make codes of their own.
package protocol NamedCode: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    var rawValue: String { get }
}

extension NamedCode {
    /// The name.
    public var description: String { rawValue }
}
