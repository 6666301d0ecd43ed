public import PledgeHTTPNetworking

/// The result of ``download(_:to:over:accepting:limit:progress:random:on:)``.
public struct HTTPDownload {
    /// The file, complete.
    public let file: URL

    /// How many bytes were written to it.
    public let byteCount: Int64

    /// The response: its status, headers and URL.
    ///
    /// Its body is empty: the file has it.
    public let response: HTTPResponse
}

extension HTTPDownload: Hashable {}

extension HTTPDownload: Sendable {}
