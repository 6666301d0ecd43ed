/// Why a ``StoreRecorder``'s events could not be written to a file, or read from one.
public struct RecordingError: Error {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// The file could not be read.
        case unreadable
        /// A line of the file is not such an event.
        case malformed
        /// An event could not be encoded.
        case unencodable
        /// The file could not be written.
        case unwritable
    }

    /// The kind of failure.
    public let code: Code

    /// The file.
    public let file: URL

    /// The line, counted from 1, if the failure concerns one line.
    public let line: Int?

    /// The error below this one.
    ///
    /// The description does not show it: it may quote an event.
    public let cause: any Error

    private let event: String

    init(
        _ code: Code, _ file: URL, line: Int? = nil, _ event: Any.Type, _ cause: any Error
    ) {
        self.code = code
        self.file = file
        self.line = line
        self.cause = cause
        self.event = "\(event)"
    }
}

extension RecordingError: CustomStringConvertible {
    /// Which file, which line, and what to do.
    public var description: String {
        let place = file.lastPathComponent + (line.map { ", line \($0)" } ?? "")
        let kind = type(of: cause)
        return switch code {
        case .unreadable: "\(place) could not be read (\(kind)): is there such a file?"
        case .malformed:
            "\(place) is not a \(event) as JSON (\(kind)): mend or remove the line. No event was played"
        case .unencodable:
            "\(place): the \(event) could not be encoded (\(kind)). Nothing was written"
        case .unwritable:
            "\(place) could not be written (\(kind)): is its folder there, and writable?"
        }
    }
}
