import Foundation

/// A file that only its owner can read, and that is removed when it is released.
final class TemporaryFile: Sendable {
    let url: URL

    /// Makes an empty file.
    ///
    /// - Throws: What Foundation throws where it cannot be made.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("Pledge-\(UUID().uuidString)")
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
