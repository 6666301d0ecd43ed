/// An error whose `localizedDescription`, which most apps show, is its description.
///
/// Foundation's own text would be the type's name and a number.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
