public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPClients
public import PledgeHTTPMessages
import PledgeHTTPNetworking
public import PledgeHTTPTransportKit
import PledgeServices

/// A protocol for uploads that continue after a lost connection.
public struct ResumableUploadProtocol: Hashable, Sendable {
    /// The version of the IETF's draft; nil for tus.
    let draft: Int?

    /// The protocol tus 1.0 (tus.io), with its extension "creation".
    public static let tus = ResumableUploadProtocol(draft: nil)

    /// The IETF's draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload).
    ///
    /// - Parameter interopVersion: The version that the server speaks, as in Upload-Draft-Interop-Version; 3…8. Other
    ///   versions are a programming error and trap.
    public static func ietfDraft(interopVersion: Int = 8) -> ResumableUploadProtocol {
        precondition(
            (3...8).contains(interopVersion),
            "the draft's interop version is 3 to 8, not \(interopVersion)")
        return ResumableUploadProtocol(draft: interopVersion)
    }
}

/// Uploads a file, and continues after a lost connection, or after an earlier run of the process.
///
/// ```swift
/// let request = HTTPRequest(.post, server.appending(path: "files"))
/// let response = upload(film, with: request, over: transport.send, by: .tus)
/// ```
///
/// The server creates a resource for the upload, and returns its URL in Location. The bytes follow in PATCH requests.
/// After a lost connection, a HEAD asks the server how many bytes it has. All of these requests have the original
/// request's headers; to another origin, only those that are known to hold no secret.
///
/// With `record`, a later call continues the same upload, if the URL, the protocol and the user are the same, and the
/// file is unchanged. Only the user can read the record, because an upload's URL may be a secret. A record that
/// somebody else made or can change is ignored; so is one whose URL a redirect couldn't lead to. If a recorded upload
/// can't continue, a new one begins in the same call: if its resource is gone, if the server claims to have bytes that
/// were never sent, or if all attempts are used up and the server has taken nothing. The record is removed when the
/// upload is complete, when the server doesn't know the upload any more, and when the server breaks the protocol. In
/// one call, uploads begin anew at most as often as `resuming` has attempts, and once more for a record that can't
/// continue.
///
/// A server breaks the protocol if it claims more bytes than this call and earlier ones have sent. All bytes that the
/// system has taken from the transport count as sent, because some of them may have arrived. If the process was killed
/// during a request, or the call was cancelled, the request's whole body counts.
///
/// - Parameters:
///   - file: A regular file, or a symbolic link to one. If it is changed or replaced during the upload, the upload
///     fails.
///   - request: The request that creates the upload, usually a POST. Its body is ignored.
///   - service: The service for the requests.
///   - proto: The protocol.
///   - record: The file that remembers the upload; nil to remember it for this call only.
///   - partSize: The largest body of a request, in bytes; nil to send all that is missing at once. A server's
///     `max-append-size` may lower it. Less than one is a programming error and traps.
///   - rules: How often the upload continues after a lost connection, and after which waits.
///   - progress: Called with the number of bytes sent, and the file's size, on the thread that reads the file. After a
///     lost connection, the number can be smaller than before.
///   - random: The source of the backoff's jitter.
///   - scheduler: The clock for the waits.
/// - Returns: A future of the last response. It rejects with the error of the last request, or with an `HTTPError`:
///   with the code `bodyUnreadable` if the file can't be read or was changed, with `fileUnwritable` if the record can't
///   be written, if possible before the first request, with `badResponse` if the server breaks the protocol.
public func upload(
    _ file: URL, with request: HTTPRequest, over service: @escaping HTTPService,
    by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
    resuming rules: Resumption = Resumption(),
    progress: HTTPProgress? = nil,
    random: RandomSource = .system, on scheduler: some FutureScheduler = .live
) -> Future<HTTPResponse> {
    precondition(partSize ?? 1 >= 1, "a part has 1 byte or more, not \(partSize ?? 1)")
    if CallBeginning.isTooLate { return Future(error: CancellationError()) }
    // For a link, size and bytes are those of its target.
    let file = file.resolvingSymlinksInPath()
    // This fails for anything but a regular file.
    do { _ = try HTTPBodyStream.file(file) } catch {
        return Future(error: error.withRequest(request))
    }
    let folder = SystemFolder(file.deletingLastPathComponent())
    guard let version = folder.version(of: file.lastPathComponent) else {
        return Future(
            error: HTTPError.unreadable(file, cause: CancellationError()).withRequest(request))
    }
    let state = UploadState(proto, request, version, partSize: partSize, rules.redirects)
    return ResumableUpload(
        file, version, service, state, record, rules, progress, random, scheduler
    ).run()
}

extension HTTPClient {
    /// Uploads a file, and continues after a lost connection, or after an earlier run of the process.
    ///
    /// ```swift
    /// let response = try await client.upload(film, to: "/files", by: .tus, record: record)
    /// ```
    ///
    /// See the function `upload` for the protocols and the record. `retry` decides how often this call continues by
    /// itself, and after which waits; if it's nil, only a later call with the record does. `classifier` decides which
    /// errors are temporary.
    ///
    /// - Parameters:
    ///   - file: The file; it must not change during the upload.
    ///   - path: The path below `base` where uploads are made, with a POST.
    ///   - headers: The headers of the requests.
    ///   - timeout: The time limit of each request, without the time in which its bytes are sent, instead of the
    ///     client's `deadline`.
    ///   - context: Further properties of the calls.
    ///   - proto: The protocol.
    ///   - record: The file that remembers the upload; nil to remember it for this call only.
    ///   - partSize: The largest body of a request, in bytes; nil for all that is missing. Less than one is a
    ///     programming error and traps.
    ///   - progress: Called with the number of bytes sent, and the file's size, on the thread that reads the file.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The last response.
    /// - Throws: The errors of the function `upload`.
    @discardableResult
    public func upload(
        _ file: URL, to path: Endpoint.Path, headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
        progress: HTTPProgress? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await futures.upload(
            file, to: path, headers: headers, timeout: timeout, context: context, by: proto,
            record: record, partSize: partSize, progress: progress
        ).get()
    }
}

extension HTTPClient.Futures {
    /// Uploads a file, and returns a future of the last response.
    public func upload(
        _ file: URL, to path: Endpoint.Path, headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        do {
            var endpoint = Endpoint(path: path, method: .post, headers: headers)
            endpoint.context = context
            if let timeout { endpoint.context.deadline = timeout }
            let request = try client.request(for: endpoint)
            return PledgeStorage.upload(
                file, with: request, over: send, by: proto, record: record, partSize: partSize,
                resuming: client.resumption, progress: progress, random: client.random,
                on: client.scheduler)
        } catch {
            return Future(error: error)
        }
    }
}
