import Foundation
import PledgeFutures
import PledgeHTTPMessages

/// A body that URLSession sends correctly, and can send again.
enum UploadBody: Sendable {
    case none
    case data(Data)
    /// A regular file.
    ///
    /// A `TemporaryFile` is removed with the exchange.
    case file(URL, TemporaryFile?)

    var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// Checks a file.
    ///
    /// A link is resolved, because URLSession on Linux takes the link's length for the file's. An empty or unreadable
    /// file would make it wait for ever.
    ///
    /// - Throws: `HTTPError` if the file can't be read.
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

/// Collects a stream before it's sent: in memory while it's small, then in a file.
///
/// On Linux, URLSession would read the stream on the queue where it does everything else, and block it until the next
/// bytes arrive.
struct BodySpool {
    private let limit: Int64
    private let memory: Int
    private var count: Int64 = 0
    private var data = Data()
    private var file: (TemporaryFile, FileHandle)?

    /// `limit` is the most bytes of the body, and `memory` the most in memory.
    init(limit: Int64, memory: Int = 1 << 20) {
        self.limit = limit
        self.memory = memory
    }

    /// - Throws: `HTTPError` if the body exceeds the limit, or if the file can't be written.
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

    /// The whole body, after the stream has ended.
    ///
    /// - Throws: `HTTPError` if the file can't be written.
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
    /// Reads a stream to its end; cancelling the future cancels the stream.
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

/// A file that only its owner can read, and that is removed with this object.
final class TemporaryFile: Sendable {
    let url: URL

    /// - Throws: Foundation's error if the file can't be created.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("Pledge-\(UUID().uuidString)")
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
