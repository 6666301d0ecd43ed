import Foundation

/// A file that only its owner can read; it is removed when this object is released.
final class TemporaryFile: Sendable {
    let url: URL

    /// Makes an empty file.
    ///
    /// - Throws: Foundation's error if the file cannot be made.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("Pledge-\(UUID().uuidString)")
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
