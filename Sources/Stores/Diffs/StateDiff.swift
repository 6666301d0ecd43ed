/// What differs between two values, property by property, as text.
///
/// ```
/// - login.name: "Tan"
/// + login.name: "Tangent"
/// + books[1].title: "Momo"
/// ```
///
/// Properties are found by reflection, in the order of their declaration; what is the same in both
/// is left out. Dictionaries and sets have no order: they are compared by key and by element.
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
    public init<Value>(from old: Value, to new: Value) {
        let before = StateLeaves(of: old).leaves
        let after = StateLeaves(of: new).leaves
        let newTexts = Dictionary(after.map { ($0.path, $0.text) }) { first, _ in first }
        let oldTexts = Dictionary(before.map { ($0.path, $0.text) }) { first, _ in first }
        var lines: [String] = []
        for leaf in before where newTexts[leaf.path] != leaf.text {
            lines.append("- \(leaf.line)")
            if let text = newTexts[leaf.path] {
                lines.append("+ \(StateLeaves.Leaf(path: leaf.path, text: text).line)")
            }
        }
        for leaf in after where oldTexts[leaf.path] == nil { lines.append("+ \(leaf.line)") }
        self.lines = lines
    }
}
