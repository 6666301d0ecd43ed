/// One thing that is wrong between the documents and the code, and where.
struct Problem: Hashable, CustomStringConvertible {
    /// The file, from the root of the repository.
    let path: String
    /// The line, counted from 1.
    let line: Int
    /// What is wrong, and what to do.
    let message: String

    /// A problem at a line of a file.
    init(_ path: String, _ line: Int, _ message: String) {
        (self.path, self.line, self.message) = (path, line, message)
    }

    /// `path:line: message`, the form that editors turn into a link.
    var description: String { "\(path):\(line): \(message)" }
}
