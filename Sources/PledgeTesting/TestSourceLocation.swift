/// A place in a test's source, at which test frameworks and editors show a failure.
///
/// Swift Testing asks for all four parts, XCTest for the path and the line. The path is what an
/// editor opens.
public struct TestSourceLocation {
    /// The module and the file's name, as `#fileID` gives them.
    public var fileID: StaticString

    /// The path of the file, as `#filePath` gives it.
    public var filePath: StaticString

    /// The line, counted from 1.
    public var line: UInt

    /// The column, counted from 1.
    public var column: UInt

    /// Makes a location: without arguments, that of the call.
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
    /// The path, the line and the column, as compilers write them.
    public var description: String { "\(filePath):\(line):\(column)" }
}

extension TestSourceLocation: Hashable {
    /// Whether all four parts are equal.
    public static func == (left: TestSourceLocation, right: TestSourceLocation) -> Bool {
        left.parts == right.parts
    }

    /// Feeds the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) { parts.hash(into: &hasher) }

    private var parts: [String] { ["\(fileID)", "\(filePath)", "\(line)", "\(column)"] }
}

extension TestSourceLocation: Sendable {}
