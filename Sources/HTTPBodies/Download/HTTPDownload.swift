public import HTTPNetworking

/// What ``download(_:to:over:accepting:limit:progress:random:)`` has put into a file.
public struct HTTPDownload {
    /// The file, complete.
    public let file: URL

    /// How many bytes were written to it.
    public let byteCount: Int

    /// The response: its status, headers and URL.
    ///
    /// Its body is empty, as the file has it.
    public let response: HTTPResponse
}

extension HTTPDownload: Hashable {}

extension HTTPDownload: Sendable {}
