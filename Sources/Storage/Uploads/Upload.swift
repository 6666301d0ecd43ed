public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPClients
public import PledgeHTTPNetworking
public import PledgeServices

/// A protocol by which a server takes the rest of an upload whose connection was lost.
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

/// Uploads a file, and goes on where a lost connection, or an earlier run, has stopped.
///
/// ```swift
/// let request = HTTPRequest(.post, server.appending(path: "files"))
/// let response = upload(film, with: request, over: transport.send, by: .tus)
/// ```
///
/// The server makes a resource for the upload, and names its URL in a Location. The bytes follow in PATCH requests.
/// After a lost connection, a HEAD asks the server how many bytes it has. The request's headers are sent with each of
/// these requests; to another origin, only the headers that are known to hold no secret.
///
/// With `record`, a later call of this function goes on with the same upload, if the URL, the protocol, the user and the
/// file are the same, and the file was neither changed nor replaced. The record is a file that only the user may read, because
/// an upload's URL may be a secret. A record that somebody else has made or can change is ignored, and so is one whose
/// address a redirect couldn't lead to. If a recorded upload can't go on, the upload begins anew in the same call: for
/// example if its resource is gone, or claims more bytes than were sent, or if it has taken no byte in this call when
/// the attempts are used up. The record is removed at the end, when the server doesn't know the upload any more, and
/// when the server breaks the protocol. In a call, an upload begins anew at most as often as `resuming` has attempts,
/// and once for a record that can't go on.
///
/// No server is believed that claims more bytes than this call and the earlier ones have sent. Those that the system has
/// taken for the network count as sent, because nobody can tell them from bytes that arrived. If the process was killed
/// during a request, or the call was cancelled, all bytes of that request's body count.
///
/// - Parameters:
///   - file: A regular file, or a symbolic link to one. If it is changed or replaced during the upload, the upload
///     fails.
///   - request: The request that makes the upload: its URL, its headers, and its method, usually POST. Its body is
///     ignored.
///   - service: The service for the requests.
///   - proto: The protocol.
///   - record: The file that remembers the upload; nil to remember it for this call only.
///   - partSize: The largest body of a request, in bytes; nil for all that is missing. A server's `max-append-size`
///     makes it smaller. Less than one is a programming error and traps.
///   - rules: How the upload goes on after a lost connection.
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
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil,
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
    /// Uploads a file, and goes on where a lost connection, or an earlier run, has stopped.
    ///
    /// ```swift
    /// let response = try await client.upload(film, to: "/files", by: .tus, record: record).value
    /// ```
    ///
    /// See the function `upload` for the protocols and the record. `retry` says how often this call resumes by
    /// itself, and after which waits; with nil, only a later call with a record resumes. `classifier` says which
    /// errors are temporary.
    ///
    /// - Parameters:
    ///   - file: The file; it must not change during the upload.
    ///   - path: The path below `base` where uploads are made, with a POST.
    ///   - headers: The headers of the requests.
    ///   - proto: The protocol.
    ///   - record: The file that remembers the upload; nil to remember it for this call only.
    ///   - partSize: The largest body of a request, in bytes; nil for all that is missing. Less than one is a
    ///     programming error and traps.
    ///   - progress: Called with the number of bytes sent, and the file's size, on the thread that reads the file.
    /// - Returns: A future of the last response, with the errors of the function `upload`.
    public func upload(
        _ file: URL, to path: Endpoint.Path, headers: HTTPHeaders = [:],
        by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
        progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil
    ) -> Future<HTTPResponse> {
        do {
            let request = try request(for: Endpoint(path: path, method: .post, headers: headers))
            return PledgeStorage.upload(
                file, with: request, over: send, by: proto, record: record, partSize: partSize,
                resuming: resumption, progress: progress, random: self.random, on: self.scheduler)
        } catch {
            return Future(error: error)
        }
    }
}
