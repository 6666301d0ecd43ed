public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
import PledgeServices

extension HTTPClient {
    /// Downloads to a file, and goes on where a lost connection or an earlier run has stopped.
    ///
    /// ```swift
    /// let saved = try await client.download("/films/7", to: file)
    /// ```
    ///
    /// The file appears under its name only when it is complete. An unfinished download goes on for the same user only:
    /// the same account, sign-in, cookies and other headers that may identify one. See the function `download` for how a
    /// download is resumed.
    ///
    /// - Parameters:
    ///   - path: The path below `base`.
    ///   - file: The URL of the file, in an existing folder.
    ///   - query: Items to append to the query.
    ///   - headers: The headers of the requests.
    ///   - timeout: The time limit of each request until its headers arrive, instead of ``Settings/deadline``.
    ///   - context: Further properties of the calls.
    ///   - resuming: Resumes the download after a lost connection, and in a later call. ``Settings/retry`` says how often
    ///     this call resumes by itself, and after which waits; with nil, only a later call resumes. ``Settings/classifier`` says
    ///     which errors are temporary.
    ///   - parts: How many parts of the file are loaded at the same time, if `resuming`; 1…32. Other numbers are a
    ///     programming error and trap.
    ///   - sha256: The expected SHA-256 of the file, in hexadecimal digits; nil for no check. Digits that aren't a
    ///     SHA-256 are a programming error and trap.
    ///   - limit: The largest file, in bytes.
    ///   - progress: Called for each chunk with the number of bytes that are there, and the size of the file, which is
    ///     nil if it isn't known. It's called after the chunk is written, on a queue of the file; with `resuming:
    ///     false` before, on the thread where the chunk arrives.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The result.
    /// - Throws: The errors of the function `download`.
    @discardableResult
    public func download(
        _ path: Endpoint.Path, to file: URL, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), resuming: Bool = true, parts: Int = 1,
        sha256: String? = nil,
        limit: Int64 = .max, progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPDownload {
        try await futures.download(
            path, to: file, query: query, headers: headers, timeout: timeout, context: context,
            resuming: resuming, parts: parts, sha256: sha256, limit: limit, progress: progress
        ).get()
    }

    /// Downloads the response to a request, like the method for a path.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to file: URL, resuming: Bool = true, parts: Int = 1,
        sha256: String? = nil, limit: Int64 = .max, progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPDownload {
        try await futures.download(
            request, to: file, resuming: resuming, parts: parts, sha256: sha256, limit: limit,
            progress: progress
        ).get()
    }
}

extension HTTPClient.Futures {
    /// Downloads to a file, and returns a future of the result.
    public func download(
        _ path: Endpoint.Path, to file: URL, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), resuming: Bool = true, parts: Int = 1,
        sha256: String? = nil,
        limit: Int64 = .max, progress: HTTPProgress? = nil
    ) -> Future<HTTPDownload> {
        let endpoint = Endpoint(.get, path, query, headers, timeout, context)
        do {
            return download(
                try client.request(for: endpoint), to: file, resuming: resuming, parts: parts,
                sha256: sha256, limit: limit, progress: progress)
        } catch {
            return Future(error: error)
        }
    }

    /// Downloads the response to a request, and returns a future of the result.
    public func download(
        _ request: HTTPRequest, to file: URL, resuming: Bool = true, parts: Int = 1,
        sha256: String? = nil, limit: Int64 = .max, progress: HTTPProgress? = nil
    ) -> Future<HTTPDownload> {
        let slots = client.slots
        return PledgeHTTPBodies.download(
            request, to: file, over: stream, accepting: slots.acceptedStatuses ?? 200...299,
            limit: limit, sha256: sha256, resuming: resuming ? client.resumption : nil,
            parts: parts, progress: progress, random: slots.random, on: slots.scheduler)
    }
}

extension HTTPClient {
    /// The rules of ``Settings/retry`` and ``Settings/classifier`` for transfers that go on.
    package var resumption: Resumption {
        var rules = Resumption(
            slots.retry
                ?? Retry(
                    attempts: 1, backoff: .constant(.zero), maxServerDelay: .zero))
        rules.outcome = { [client = uncountedCopy] in client.outcome(of: $0) }
        if let redirects = slots.redirects { rules.redirects = redirects }
        return rules
    }

    package func request(for endpoint: Endpoint) throws(Endpoint.Error) -> HTTPRequest {
        guard let base = slots.bareBase else { return try HTTPRequest(endpoint) }
        return try HTTPRequest(endpoint, base: base)
    }
}
