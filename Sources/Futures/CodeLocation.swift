/// A place in source code: the file, as `Module/File.swift`, and the line.
public struct CodeLocation: Sendable, CustomStringConvertible {
    /// The file, as `#fileID` names it.
    public let fileID: StaticString

    /// The line, counted from one.
    public var line: UInt { UInt(storedLine) }

    /// Half a word: a promise and each transform store a place, and half a word fits into their padding.
    @usableFromInline let storedLine: UInt32

    /// Makes a place; without arguments, the caller's own.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        self.fileID = fileID
        storedLine = UInt32(clamping: line)
    }

    /// The place as compilers print it: `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
