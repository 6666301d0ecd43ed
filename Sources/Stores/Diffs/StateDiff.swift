/// What differs between two values, property by property, as text.
///
/// ```
/// - login.name: "Tan"
/// + login.name: "Tangent"
/// + counts[1]: 7
/// - books[id: 3].title: "Emil"
/// + books[id: 3].title: "Momo"
/// ```
///
/// Properties are found by reflection, in the order of their declaration; equal ones are left out. Values
/// that differ but print the same, such as dates within a second, are shown with their parts, or in words.
/// Dictionaries and sets have no order: they are compared by key and by element.
///
/// Arrays are compared by insertions and removals. Elements that are `Identifiable` are compared with those
/// of the same id, at any position. If more than 400 elements lie between the first and the last that differ,
/// these are compared by position.
public struct StateDiff: Sendable, CustomStringConvertible {
    /// The differences: `- PATH: VALUE` for what was, then `+ PATH: VALUE` for what is.
    public let lines: [String]

    /// The lines, one below the other.
    public var description: String { lines.joined(separator: "\n") }

    /// Compares two values.
    ///
    /// - Parameters:
    ///   - old: The value before.
    ///   - new: The value after.
    /// - Complexity: O(*n*) for *n* values without parts, except for arrays with many changes, in which at
    ///   most 400 elements are compared pairwise.
    public init<Value>(from old: Value, to new: Value) {
        lines = StateComparison(of: old, with: new).lines
    }
}
