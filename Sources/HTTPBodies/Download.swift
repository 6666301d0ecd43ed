public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

/// Sends a request and puts the body of the response into a file.
///
/// ```swift
/// let service = stack(.retry(), over: transport.stream)
/// let saved = download(HTTPRequest(.get, url), to: file, over: service, limit: 1_000_000_000)
/// ```
///
/// The body is written, chunk by chunk, to a file of another name in the same folder; the next chunk is
/// requested when the last is written. At the end it is synchronised to disk and renamed atomically,
/// replacing a file of that name, whose permissions it keeps. After any failure before that, the other file
/// is deleted when the future settles, and an existing file of that name does not change. Only a process that
/// ends during a download leaves a file behind, with `.pledge-` and `.part` around its name.
///
/// A failure of the body is not repeated: a retry in the service ends with the headers. To repeat it, put the
/// whole download into a retry.
///
/// - Parameters:
///   - request: The request.
///   - file: The URL of the file, in an existing folder.
///   - service: The service for the request.
///   - statuses: The statuses whose bodies are kept.
///   - limit: The largest body, in bytes.
///   - progress: Called with each chunk as `HTTPBodyStream.reportingProgress(to:)` does.
///   - random: The source of the other file's name.
///   - scheduler: The clock of the second that a refused body is read for.
/// - Returns: A future of the result; it settles on a queue of the file. It rejects with an
///   `HTTPError` that keeps the request and the response: with the code
///   `HTTPError.Code.unacceptableStatus` and the body, up to a megabyte of it that arrives within a second,
///   `HTTPError.Code.bodyTooLarge`, `HTTPError.Code.bodyLengthMismatch` if the body's length is not
///   the announced one, and `HTTPError.Code.fileUnwritable` with a `FileError` as its cause. Errors
///   of the service and of the body arrive unchanged. Cancelling it cancels the call; a file that
///   is being renamed at that moment is complete nevertheless.
public func download(
    _ request: HTTPRequest, to file: URL, over service: HTTPStreamingService,
    accepting statuses: some RangeExpression<Int> & Sendable = 200...299, limit: Int64 = .max,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil,
    random: RandomSource = .system, on scheduler: some Scheduler = .live
) -> Future<HTTPDownload> {
    service(request).flatMap { response in
        guard statuses.contains(response.status) else {
            return response.refused(for: request, keeping: mostOfRefused, on: scheduler)
        }
        return save(response, to: file, limit, progress, random)
            .mapError { error in named(error, request, response.head) }
    }
}

/// How many bytes of a refused body are kept in the error.
private let mostOfRefused = 1_048_576

private func save(
    _ response: HTTPStreamedResponse, to file: URL, _ limit: Int64,
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
    .flatMap { writer.commit() }
    .onEnd { [body] result in
        guard case .failure = result else { return }
        // Here, and not when the last reference is released: observers of the failure can rely on it.
        body.cancel()
        writer.discard()
    }
    .mapWithoutOrigin {
        HTTPDownload(file: file, byteCount: count.withLock { $0 }, response: response.head)
    }
}

/// An error of the file or the body with the request and the response.
private func named(
    _ error: any Error, _ request: HTTPRequest, _ response: HTTPResponse
) -> any Error {
    if error is FileError {
        return HTTPError(
            code: .fileUnwritable, request: request, response: response, cause: error)
    }
    guard var error = error as? HTTPError else { return error }
    error.response = error.response ?? response
    return error.naming(request)
}

/// The result of ``download(_:to:over:accepting:limit:progress:random:on:)``.
public struct HTTPDownload: Hashable, Sendable {
    /// The file, complete.
    public let file: URL

    /// How many bytes were written to it.
    public let byteCount: Int64

    /// The response: its status, headers and URL.
    ///
    /// Its body is empty: the file has it.
    public let response: HTTPResponse
}
