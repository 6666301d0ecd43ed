import Foundation

/// A file that is opened at the beginning of a run, and written at its end: if it cannot be written, the run
/// fails before anything is measured.
struct OutputFile {
    private let path: String
    private let handle: FileHandle

    /// Opens a file, and makes it if there is none.
    ///
    /// Its contents stay until they are replaced.
    /// - Throws: ``Complaint`` if it cannot be written.
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

    /// Replaces the contents of the file.
    /// - Throws: ``Complaint`` if it cannot be written.
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
