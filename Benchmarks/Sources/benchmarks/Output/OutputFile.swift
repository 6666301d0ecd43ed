import Foundation

/// A file that is opened at the start of a run and written at its end.
///
/// If the file can't be written, the run fails before it measures anything.
struct OutputFile {
    private let path: String
    private let handle: FileHandle

    /// Opens a file, and creates it if it doesn't exist.
    ///
    /// The old contents stay until you replace them.
    ///
    /// - Throws: ``Complaint`` if the file can't be written.
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

    /// Replaces the file's contents.
    ///
    /// - Throws: ``Complaint`` if the file can't be written.
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
