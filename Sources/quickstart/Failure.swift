import Pledge

/// Why the program did not do its work: one line, and an exit code.
struct Failure: Error, CustomStringConvertible {
    let description: String
    let exitCode: Int32

    /// The arguments are invalid.
    init(wrongUse text: String) {
        description = text
        exitCode = 2
    }

    /// A file with the trace or the page cannot be written.
    init(_ content: String, unwritable file: String) {
        description =
            "the \(content) cannot be written to \(Printable.quoted(file)); "
            + "name a file in a folder that exists and may be written to"
        exitCode = 1
    }

    /// The work failed.
    init(_ error: any Error) {
        if let failure = error as? Failure {
            self = failure
        } else {
            description = Printable.line("\(error)")
            exitCode = 1
        }
    }
}
