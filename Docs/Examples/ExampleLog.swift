import Futures

/// What happened in an example, in order, for its test to look at.
final class ExampleLog: Sendable {
    private let entries = Locked<[String]>([])

    /// The lines so far.
    var lines: [String] { entries.withLock { $0 } }

    /// Adds a line.
    func add(_ line: String) { entries.withLock { $0.append(line) } }

    /// A function that adds a line.
    func adder(_ line: String) -> @Sendable () -> Void { { self.add(line) } }
}
