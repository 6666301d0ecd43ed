@_exported public import TestSupport

/// What happened in an example, in order, for its test to look at.
typealias ExampleLog = TestLog<String>

extension TestLog<String> {
    /// The lines so far.
    var lines: [String] { elements }

    /// Adds a line.
    func add(_ line: String) { append(line) }

    /// A function that adds a line.
    func adder(_ line: String) -> @Sendable () -> Void { { self.add(line) } }
}
