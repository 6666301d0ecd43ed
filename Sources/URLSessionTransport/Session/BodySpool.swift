import Foundation
import PledgeFutures
import PledgeHTTPNetworking

/// Collects a stream that is to be sent: in memory while it is small, then in a file.
///
/// URLSession on Linux reads a stream on the queue on which it does everything else, and blocks that queue
/// until the next bytes arrive.
struct BodySpool {
    private let limit: Int64
    private let memory: Int
    private var count: Int64 = 0
    private var data = Data()
    private var file: (TemporaryFile, FileHandle)?

    /// Makes an empty spool.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - memory: The maximum number of bytes kept in memory.
    init(limit: Int64, memory: Int = 1 << 20) {
        self.limit = limit
        self.memory = memory
    }

    /// Appends a chunk.
    ///
    /// - Throws: `HTTPError` if there are more bytes than the limit, or if the file cannot be written.
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
