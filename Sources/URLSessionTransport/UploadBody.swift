import Foundation
import PledgeFutures
import PledgeHTTPMessages

/// A body in a form that URLSession sends correctly, and can send again.
enum UploadBody: Sendable {
    case none
    case data(Data)
    /// A regular file.
    ///
    /// A `TemporaryFile` is released, and thereby removed, when the exchange is over.
    case file(URL, TemporaryFile?)

    var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// Creates a body from a file.
    ///
    /// A symbolic link is resolved, because URLSession on Linux takes the length of the link for the length of its
    /// file. The file is checked, because URLSession on Linux waits forever if a file is empty or cannot be read.
    ///
    /// - Throws: `HTTPError` if the file cannot be read.
    static func file(at url: URL) throws -> UploadBody {
        let file = url.resolvingSymlinksInPath()
        do {
            let handle = try FileHandle(forReadingFrom: file)
            try handle.close()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw CocoaError(.fileReadUnsupportedScheme)
            }
            if (attributes[.size] as? NSNumber)?.int64Value == 0 { return .data(Data()) }
        } catch {
            throw HTTPError.unreadable(file, cause: error)
        }
        return .file(file, nil)
    }
}

/// Collects a stream before it is sent: in memory while it is small, then in a file.
///
/// URLSession doesn't get the stream itself. On Linux, it would read the stream on the queue where it does everything
/// else, and block that queue until the next bytes arrive.
struct BodySpool {
    private let limit: Int64
    private let memory: Int
    private var count: Int64 = 0
    private var data = Data()
    private var file: (TemporaryFile, FileHandle)?

    /// Creates an empty spool.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes in the body.
    ///   - memory: The largest number of bytes kept in memory.
    init(limit: Int64, memory: Int = 1 << 20) {
        self.limit = limit
        self.memory = memory
    }

    /// Appends a chunk.
    ///
    /// - Throws: `HTTPError` if the body has more bytes than the limit, or if the file cannot be written.
    mutating func append(_ chunk: Data) throws {
        guard chunk.count <= limit - count else {
            let reason = "the body to be sent has more than \(limit) bytes"
            throw HTTPError(code: .bodyTooLarge, reason: reason)
        }
        count += Int64(chunk.count)
        if file == nil, count <= memory { return data.append(chunk) }
        do {
            try openedFile().write(contentsOf: chunk)
        } catch {
            throw HTTPError(code: .bodyUnreadable, cause: error)
        }
    }

    /// Returns the whole body after the stream has ended.
    ///
    /// - Throws: `HTTPError` if the file cannot be written.
    mutating func finish() throws -> UploadBody {
        guard let (file, handle) = file else { return .data(data) }
        do {
            try handle.close()
        } catch {
            throw HTTPError(code: .bodyUnreadable, cause: error)
        }
        return .file(file.url, file)
    }

    private mutating func openedFile() throws -> FileHandle {
        if let file { return file.1 }
        let made = try TemporaryFile()
        let handle = try FileHandle(forWritingTo: made.url)
        try handle.write(contentsOf: data)
        data = Data()
        file = (made, handle)
        return handle
    }
}

extension BodySpool {
    /// Reads a stream to its end.
    ///
    /// - Returns: A future of the body. Cancelling the future cancels the stream.
    static func body(of stream: HTTPBodyStream, upTo limit: Int64) -> Future<UploadBody> {
        read(stream, into: Locked(BodySpool(limit: limit)))
    }

    private static func read(
        _ stream: HTTPBodyStream, into spool: Locked<BodySpool>
    ) -> Future<UploadBody> {
        stream.next().flatMap { chunk in
            guard let chunk else { return Future(value: try spool.withLock { try $0.finish() }) }
            do {
                try spool.withLock { try $0.append(chunk) }
            } catch {
                stream.cancel()
                throw error
            }
            return read(stream, into: spool)
        }
    }
}

/// A file that only its owner can read, and that is removed when this object is released.
final class TemporaryFile: Sendable {
    let url: URL

    /// Creates an empty file.
    ///
    /// - Throws: Foundation's error if the file cannot be created.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("Pledge-\(UUID().uuidString)")
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
