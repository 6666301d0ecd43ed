import Foundation

/// A file that is written at the end of a run, and opened at its beginning: what cannot be written
/// is refused before anything is measured.
struct OutputFile {
    private let path: String
    private let handle: FileHandle

    /// Opens a file, and makes it where there is none.
    ///
    /// What it holds stays until it is replaced.
    /// - Throws: ``Complaint`` where it cannot be written.
    init(path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let handle = FileHandle(forWritingAtPath: path) else {
            throw Complaint("cannot write \(path)")
        }
        self.path = path
        self.handle = handle
    }

    /// Replaces all that the file holds.
    /// - Throws: ``Complaint`` where it cannot be written.
    func replace(with text: String) throws {
        do {
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        } catch {
            throw Complaint("cannot write \(path): \(error.localizedDescription)")
        }
    }
}
