public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
public import PledgeHTTPTransportKit
import PledgeServices

/// Sends a request and saves the response's body to a file.
///
/// ```swift
/// let service = stack(.retry(), over: transport.stream)
/// let saved = download(HTTPRequest(.get, url), to: file, over: service, limit: 1_000_000_000)
/// ```
///
/// The body is written chunk by chunk to a temporary file in the same folder. Each chunk is requested after the
/// previous one has been written. Until the end, only the user may read the temporary file. Then it is synchronised to
/// disk and renamed atomically. It replaces an existing file at `file`, and takes that file's permissions, or those of a
/// new file. It also replaces a symbolic link; the file that the link names stays as it is. If `file` is a folder, the
/// download fails before it sends a request.
///
/// After a failure, the temporary file is deleted when the future settles, and an existing file at `file` is unchanged.
/// Without `resuming`, a temporary file remains only if the process ends during a download; its name begins with
/// `.pledge-` and ends with `.part`.
///
/// If the body fails, the request isn't sent again, because a retry in the service ends when the headers arrive. To
/// continue such a download, pass `resuming`.
///
/// ## Resuming
///
/// With `resuming`, a GET continues after a lost connection, or after an earlier run of the process. The unfinished
/// file is `.pledge-NAME.part`, and its record `.pledge-NAME.resume`, which only the user can read. The record is
/// written at least every second or 8 MiB, and when the future fails, and never promises bytes that aren't on the disk.
/// After a failure, both files stay if bytes have arrived, and if the server sent a strong ETag, or else a
/// Last-Modified at least a minute before the Date. To continue, call again with the same URL and file. A presigned URL
/// may have a new signature, if the ETag is strong and the size is the same. If the process ends during a download,
/// `exit` waits up to five seconds until both files are on the disk.
///
/// A download only continues for the same user; for another one, it starts over. The user is known by the account or
/// sign-in of the service's credentials, and by the values of other headers that may identify one. The record has
/// salted hashes of them. If the user signs out during the call, the next request fails with
/// `HTTPError.Code.sessionEnded`. If the cookies change during the call, the whole file is requested. If somebody else
/// may have made the unfinished file or the record, the download fails with `HTTPError.Code.fileUnwritable`.
///
/// The missing bytes are requested with Range, and with an If-Range that names the ETag or the Last-Modified. A 206
/// must begin where the request asked for, and have the same size, ETag and coding as before. A 200 is written from the
/// first byte, unless the file is loaded in several parts. A 416 ends a download of unknown size if it states exactly
/// the number of bytes that are there. After any other 206 or 416, and after a 200 to one of several parts, the
/// download starts over with the whole file, at most as often as `resuming` has attempts, and then fails with
/// `HTTPError.Code.badResponse`. It fails with this code at once after a 206 to a request for the whole file, and after
/// a second 206 without the ETag. Whatever happens, the file at `file` is either whole or as it was before the call.
///
/// A server may encode the file although the requests ask for `identity`. The unfinished file then has the encoded
/// bytes. At the end, they are decoded into `.pledge-NAME.decoded`, which gets the file's name. This happens only if
/// the service has a `.decompress` that knows the coding; its limit doesn't count.
///
/// Only one resumed download at a time writes a file: a second one, in this process or another, waits for up to five
/// seconds, and then fails with `HTTPError.Code.fileUnwritable`. A request with another method, or with its own Range,
/// is sent once.
///
/// - Parameters:
///   - request: The request.
///   - file: The URL of the file, in an existing folder.
///   - service: The service for the request.
///   - statuses: The statuses whose bodies are saved; also a 206 with the missing bytes, if the download is resumed.
///   - limit: The largest body, in bytes, and the largest file.
///   - sha256: The expected SHA-256 of the file, in hexadecimal digits; nil for no check. If the file has another
///     one, the download fails with `HTTPError.Code.digestMismatch`. Digits that aren't a SHA-256 are a programming
///     error and trap.
///   - rules: How the download continues after a lost connection, and in a later run; nil if it doesn't.
///   - parts: How many parts of the file are loaded at the same time, if the download is resumed; 1…32. Other numbers
///     are a programming error and trap. A server that doesn't send parts sends the whole file, in one response.
///   - progress: Called for each chunk with the number of bytes that are there and the size of the file, which is nil
///     if it isn't known. If the server encodes the file, both count encoded bytes. With `resuming`, it's called after the chunk is written, on a queue of the file; otherwise
///     before, on the thread where the chunk arrives.
///   - random: The source of the temporary file's name, and of the backoff's jitter.
///   - scheduler: The clock for the waits, and for the second during which the beginning of a refused body is read.
/// - Returns: A future of the result, which settles on a queue of the file. It rejects with an `HTTPError` that keeps
///   the request and the response. With the code `HTTPError.Code.unacceptableStatus`, the response has the beginning of
///   its body: what arrives within a second, up to a megabyte. The other codes are `HTTPError.Code.bodyTooLarge`,
///   `HTTPError.Code.bodyLengthMismatch` if the body doesn't have the declared length, `HTTPError.Code.digestMismatch`,
///   and `HTTPError.Code.fileUnwritable` with a `FileError` as its cause. Errors of the service and of the body arrive
///   unchanged, except that the request and the response are added to an `HTTPError` of the body. Cancelling the future
///   cancels the call, but a file that is being renamed at that moment is still completed.
public func download(
    _ request: HTTPRequest, to file: URL, over service: @escaping HTTPStreamingService,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299, limit: Int64 = .max,
    sha256: String? = nil, resuming rules: Resumption? = nil, parts: Int = 1,
    progress: HTTPProgress? = nil,
    random: RandomSource = .system, on scheduler: some FutureScheduler = .live
) -> Future<HTTPDownload> {
    let digest = sha256.map { text in
        guard let digest = [UInt8](hexadecimal: text), digest.count == 32 else {
            preconditionFailure("a SHA-256 has 64 hexadecimal digits, not \(text)")
        }
        return digest
    }
    precondition((1...32).contains(parts), "a download has 1 to 32 parts, not \(parts)")
    if CallBeginning.isTooLate { return Future(error: CancellationError()) }
    do { try FileError.checkTarget(file) } catch {
        return Future(error: HTTPError(code: .fileUnwritable, request: request, cause: error))
    }
    if let rules, request.method == .get, request.headers["Range"] == nil {
        return ResumableDownload(
            request, to: file, over: service, rules, parts: parts,
            accepting: { statuses.contains($0) }, limit: limit, sha256: digest, progress: progress,
            random: random, on: scheduler
        ).run()
    }
    return service(request).flatMap { response in
        guard statuses.contains(response.status) else {
            return response.refused(for: request, keeping: mostOfRefused, on: scheduler)
        }
        return save(response, to: file, limit, digest, progress, random)
            .mapError { error in named(error, request, response.head) }
    }
}

/// The most bytes of a refused body that the error keeps.
let mostOfRefused = 1_048_576

private func save(
    _ response: HTTPStreamedResponse, to file: URL, _ limit: Int64, _ digest: [UInt8]?,
    _ progress: (@Sendable (Int64, Int64?) -> Void)?, _ random: RandomSource
) -> Future<HTTPDownload> {
    var body = response.body
    if let length = body.length {
        guard length <= limit else {
            body.cancel()
            return Future(error: HTTPError(code: .bodyTooLarge))
        }
        body = body.checkingLength(length)
    }
    if let progress { body = body.reportingProgress(to: progress) }
    let count = Locked<Int64>(0)
    let writer = FileWriter(for: file, random: random)
    return writer.create().flatMap { [body] in
        body.forEach { chunk in
            try count.withLock { count in
                guard chunk.count <= limit - count else { throw HTTPError(code: .bodyTooLarge) }
                count += Int64(chunk.count)
            }
            return writer.write(chunk)
        }
    }
    .flatMap { writer.perform { try $0.check(digest) } }
    .flatMap { writer.commit() }
    .onEnd { [body] result in
        guard case .failure = result else { return }
        // The temporary file is removed now, not when the last reference goes, so that observers of the failure don't
        // see it.
        body.cancel()
        writer.discard()
    }
    .mapWithoutOrigin {
        HTTPDownload(
            file: file, byteCount: count.withLock { $0 }, resumedFrom: 0, response: response.head)
    }
}

func named(
    _ error: any Error, _ request: HTTPRequest, _ response: HTTPResponse
) -> any Error {
    if error is FileError {
        return HTTPError(
            code: .fileUnwritable, request: request, response: response, cause: error)
    }
    guard var error = error as? HTTPError else { return error }
    error.response = error.response ?? response
    return error.withRequest(request)
}

/// The result of ``download(_:to:over:accepting:limit:sha256:resuming:parts:progress:random:on:)``.
public struct HTTPDownload: Hashable, Sendable {
    /// The complete file.
    public let file: URL

    /// The size of the file, in bytes.
    public let byteCount: Int64

    /// The number of bytes that an earlier run had loaded, as the server sends them; zero if the file was loaded anew.
    public let resumedFrom: Int64

    /// The last response: its status, headers and URL.
    ///
    /// The response's body is empty, because its bytes are in the file.
    public let response: HTTPResponse
}
