/// A value that print, debuggers, `dump` and crash logs show only by its description.
///
/// For what holds secrets or much data. The description is the only text to write, and the only one to check.
package protocol DescriptionOnly: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension DescriptionOnly {
    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
