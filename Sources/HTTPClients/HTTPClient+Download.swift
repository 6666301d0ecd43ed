public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPNetworking
import PledgeServices

extension HTTPClient {
    /// Downloads to a file, and goes on where a lost connection or an earlier run has stopped.
    ///
    /// ```swift
    /// let saved = try await client.download("/films/7", to: file).value
    /// ```
    ///
    /// The file appears under its name only when it is complete. See the function `download` for how a download is
    /// resumed.
    ///
    /// - Parameters:
    ///   - path: The path below `base`.
    ///   - file: The URL of the file, in an existing folder.
    ///   - query: Items to append to the query.
    ///   - headers: The headers of the requests.
    ///   - resuming: Whether an unfinished file stays after a failure, so that a later call goes on. ``retry`` says how
    ///     often, and after which waits, this call goes on itself.
    ///   - parts: How many parts of the file are loaded at the same time; 1…32. Other numbers are a programming error
    ///     and trap.
    ///   - sha256: The expected SHA-256 of the file, in hexadecimal digits; nil for no check. Digits that aren't a
    ///     SHA-256 are a programming error and trap.
    ///   - limit: The largest file, in bytes.
    ///   - progress: Called after each chunk is written, with the number of bytes that are there, and the size of the
    ///     file, which is nil if it isn't known; on a queue of the file.
    /// - Returns: A future of the result, with the errors of the function `download`.
    public func download(
        _ path: Endpoint.Path, to file: URL, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], resuming: Bool = true, parts: Int = 1, sha256: String? = nil,
        limit: Int64 = .max,
        progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil
    ) -> Future<HTTPDownload> {
        let endpoint = Endpoint(path: path, queryItems: query.items, headers: headers)
        do {
            let request = try base.map { try HTTPRequest(endpoint, base: $0) } ?? HTTPRequest(endpoint)
            return download(
                request, to: file, resuming: resuming, parts: parts,
                sha256: sha256, limit: limit, progress: progress)
        } catch {
            return Future(error: error)
        }
    }

    /// Downloads the response to a request, like the method for a path.
    public func download(
        _ request: HTTPRequest, to file: URL, resuming: Bool = true, parts: Int = 1,
        sha256: String? = nil, limit: Int64 = .max,
        progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil
    ) -> Future<HTTPDownload> {
        let rules = DownloadResumption(
            attempts: retry?.attempts ?? 1, backoff: retry?.backoff ?? .constant(.zero),
            maxServerDelay: retry?.maxServerDelay ?? .zero, parts: parts)
        return PledgeHTTPBodies.download(
            request, to: file, over: stream, accepting: acceptedStatuses ?? 200...299, limit: limit,
            sha256: sha256, resuming: resuming ? rules : nil, progress: progress, random: random,
            on: scheduler)
    }
}
