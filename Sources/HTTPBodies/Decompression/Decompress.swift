import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Decompresses bodies that the transport has not decompressed.
    ///
    /// ```swift
    /// let service = stack(.decompress(upTo: 10_000_000), over: transport.send)
    /// ```
    ///
    /// A request without Accept-Encoding and without Range gets `Accept-Encoding: gzip, deflate, br, zstd`,
    /// with those codings whose libraries the system has. They are looked up once, when the first such
    /// middleware is made: zlib for gzip and deflate, libbrotlidec for br, libzstd for zstd. Apple's systems
    /// decode br by a library of their own, and have none for zstd.
    ///
    /// A body with a Content-Encoding of one of these, or of several in a row, is decompressed on the
    /// thread that settles the call; the response then has neither Content-Encoding nor Content-Length.
    /// Deflate is accepted with zlib's wrapper (RFC 1950), and without it, as some servers send it; gzip in
    /// several members and zstd in several frames are one body.
    ///
    /// The response is left unchanged, with its Content-Encoding, if it has no body (HEAD, 204,
    /// 304, an empty one), a part of one (206), or an unknown coding, such as compress; and if its status is
    /// 300 or more and its body cannot be decoded, since a retry, a redirect and a caller need the status.
    ///
    /// The call fails with an `HTTPError` that keeps the response, with a ``DecompressionFailure`` as
    /// its cause: with the code `HTTPError.Code.badResponse` if the body is malformed, truncated
    /// or followed by other bytes, or has a zstd window of more than 8 MiB, and with
    /// `HTTPError.Code.unsupported` if the system lacks the library, or there are more than five codings; and
    /// with `HTTPError.Code.bodyTooLarge`.
    ///
    /// **Place.** Next to the transport, beneath a cache, so that a stored body is decoded once; and beneath
    /// `.acceptStatus()`, because it does not change the responses in errors. A transport that decompresses
    /// by itself has to remove Content-Encoding.
    ///
    /// - Parameter limit: The largest decompressed body, in bytes; no more bytes are produced. Less than
    ///   zero is a programming error and traps.
    public static func decompress(upTo limit: Int) -> Middleware {
        let decompression = Decompression(upTo: limit)
        return Middleware(named: "decompress") { next in
            { request in
                let request = decompression.asking(request)
                let answer = next(request).naming(request)
                if answer.hasSucceeded({ $0.headers["Content-Encoding"] == nil }) { return answer }
                return answer.mapWithoutOrigin { try decompression.decoded($0, to: request) }
            }
        }
    }
}

extension Middleware where Input == HTTPRequest, Output == HTTPStreamedResponse {
    /// Decompresses bodies that the transport has not decompressed, as they are read.
    ///
    /// As `decompress(upTo:)` for whole responses, with two differences: malformed bytes fail the stream
    /// while it is read, and an empty body is not known to be empty. The stream returns pieces of at most 64
    /// KiB, and its length is not known. Between two pieces it keeps the window of each coding: at most 32
    /// KiB of gzip and deflate, 16 MiB of br, and 8 MiB of zstd.
    ///
    /// - Parameter limit: How many bytes a decompressed body may have; the stream fails if there are more.
    ///   Less than zero is a programming error and traps.
    public static func decompress(upTo limit: Int) -> Middleware {
        let decompression = Decompression(upTo: limit)
        return Middleware(named: "decompress") { next in
            { request in
                let request = decompression.asking(request)
                let answer = next(request).naming(request)
                if answer.hasSucceeded({ $0.headers["Content-Encoding"] == nil }) { return answer }
                return answer.mapWithoutOrigin { try decompression.decoded($0, to: request) }
            }
        }
    }
}

extension Decompression {
    init(upTo limit: Int) {
        precondition(limit >= 0, "decompress needs a limit of 0 bytes or more, not \(limit)")
        self.init(limit: limit)
    }

    func decoded(
        _ response: HTTPResponse, to request: HTTPRequest
    ) throws(HTTPError) -> HTTPResponse {
        if response.body.isEmpty { return response }
        let codings = try codings(of: response, to: request)
        if codings.isEmpty { return response }
        var decoded = response
        do {
            decoded.body = try BodyDecoder.decoded(response.body, codings, limit: limit)
        } catch {
            if response.statusMatters { return response }
            throw self.error(for: error, response, request)
        }
        decoded.dropCoding()
        return decoded
    }

    func decoded(
        _ response: HTTPStreamedResponse, to request: HTTPRequest
    ) throws(HTTPError) -> HTTPStreamedResponse {
        // Not the response itself: its body would be retained for a possible error.
        let head = response.head
        let codings = try codings(of: head, to: request)
        if codings.isEmpty { return response }
        var decoded = response
        do {
            let decoder = try BodyDecoder(codings, limit: limit)
            decoded.body = response.body.decoded(by: decoder) { error in
                self.error(for: error, head, request)
            }
        } catch {
            if head.statusMatters { return response }
            throw self.error(for: error, head, request)
        }
        decoded.dropCoding()
        return decoded
    }
}
