/// The place in a test's source where test frameworks and editors show a failure.
///
/// Swift Testing needs all four parts, and XCTest only the path and the line. An editor opens the file at the path.
public struct TestSourceLocation: Sendable {
    /// The module and the file name, in the form of `#fileID`.
    public var fileID: StaticString

    /// The path of the file, in the form of `#filePath`.
    public var filePath: StaticString

    /// The line, counted from 1.
    public var line: UInt

    /// The column, counted from 1.
    public var column: UInt

    /// Creates a location; without arguments, the location of the call.
    public init(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }
}

extension TestSourceLocation: CustomStringConvertible {
    /// The path, the line and the column, in a compiler's format.
    public var description: String { "\(filePath):\(line):\(column)" }
}

extension TestSourceLocation: Hashable {
    /// Returns whether all four parts are equal.
    public static func == (left: TestSourceLocation, right: TestSourceLocation) -> Bool {
        left.parts == right.parts
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) { parts.hash(into: &hasher) }

    private var parts: [String] { ["\(fileID)", "\(filePath)", "\(line)", "\(column)"] }
}
