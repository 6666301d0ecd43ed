/// The reason why the program failed: one line, and an exit code from sysexits.h.
struct CommandError: Error, CustomStringConvertible, Hashable {
    let description: String
    let exitCode: Int32

    /// The arguments are wrong.
    init(wrongUse text: String) {
        description = text
        exitCode = 64
    }

    /// A file cannot be written.
    init(unwritable file: String) {
        description =
            "\(Arguments.quoted(file)) cannot be written; "
            + "name a file in a folder that exists and may be written to"
        exitCode = 73
    }
}
