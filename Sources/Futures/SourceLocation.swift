/// A place in source code: the file, as `Module/File.swift`, and the line.
public struct SourceLocation: Sendable, CustomStringConvertible {
    /// The file, as `#fileID` names it.
    public let fileID: StaticString

    /// The line, counted from one.
    public let line: UInt

    /// Makes a place; without arguments, the caller's own.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        self.fileID = fileID
        self.line = line
    }

    /// The place as compilers print it: `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
