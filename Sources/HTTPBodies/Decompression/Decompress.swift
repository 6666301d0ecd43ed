import Futures
public import HTTPNetworking
public import Services

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Decompresses bodies that the transport has not decompressed.
    ///
    /// ```swift
    /// let service = stack(.decompress(upTo: 10_000_000), over: transport.send)
    /// ```
    ///
    /// A request that says nothing of Accept-Encoding, and asks for no part (Range), asks for
    /// `gzip, deflate, br, zstd`: for those of them whose libraries the system has. They are looked up
    /// once, when the first such middleware is made: zlib for gzip and deflate, libbrotlidec for br, libzstd
    /// for zstd. Apple's systems decode br by a library of their own, and have none for zstd.
    ///
    /// A body with a Content-Encoding of one of these, or of several in a row, is decompressed on the
    /// thread that settles the call; the response then has neither Content-Encoding nor Content-Length.
    /// Deflate is taken with zlib's wrapper (RFC 1950), and without it, as some servers send it; gzip in
    /// several members and zstd in several frames are one body.
    ///
    /// The response is left unchanged, with its Content-Encoding, if it has no body (HEAD, 204,
    /// 304, an empty one), a part of one (206), or an unknown coding, such as compress.
    ///
    /// The call fails with an `HTTPError` that keeps the response, with a ``DecompressionFailure`` as
    /// its cause: with the code `HTTPError.Code.badResponse` where the body is malformed, truncated
    /// or followed by other bytes, or has a zstd window of more than 8 MiB, and with
    /// `HTTPError.Code.unsupported` where the system lacks the library, or there are more than five
    /// codings; and with `HTTPError.Code.bodyTooLarge`.
    ///
    /// **Place.** Next to the transport, beneath a cache, so that what is stored is decoded once; and beneath
    /// `.acceptStatus()`, since it does not look into errors. A transport that decompresses by itself has to
    /// take Content-Encoding away.
    ///
    /// - Parameter limit: How many bytes a decompressed body may have; no more are ever made. Less than
    ///   zero is a programming error and traps.
    public static func decompress(upTo limit: Int) -> Middleware {
        let decompression = Decompression(upTo: limit)
        return Middleware(named: "decompress") { next in
            { request in
                let request = decompression.asking(request)
                return next(request).naming(request).mapWithoutOrigin { response in
                    try decompression.decoded(response, to: request)
                }
            }
        }
    }
}

extension Middleware where Input == HTTPRequest, Output == HTTPStreamedResponse {
    /// Decompresses bodies that the transport has not decompressed, as they are read.
    ///
    /// As `decompress(upTo:)` of whole responses, but that what is wrong with the bytes fails the
    /// stream where it is read, and that an empty body is not known to be empty.
    /// The stream gives pieces of at most 64 KiB, and its length is not known. Between two pieces it keeps what
    /// the coding refers back to, for each coding at most 32 KiB of gzip and deflate, 16 MiB of br, and
    /// 8 MiB of zstd.
    ///
    /// - Parameter limit: How many bytes a decompressed body may have; the stream fails where there are
    ///   more. Less than zero is a programming error and traps.
    public static func decompress(upTo limit: Int) -> Middleware {
        let decompression = Decompression(upTo: limit)
        return Middleware(named: "decompress") { next in
            { request in
                let request = decompression.asking(request)
                return next(request).naming(request).mapWithoutOrigin { response in
                    try decompression.decoded(response, to: request)
                }
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
        } catch { throw self.error(for: error, response, request) }
        decoded.dropCoding()
        return decoded
    }

    func decoded(
        _ response: HTTPStreamedResponse, to request: HTTPRequest
    ) throws(HTTPError) -> HTTPStreamedResponse {
        // Not the response itself: its body would be kept for the error that may come of it.
        let head = response.head
        let codings = try codings(of: head, to: request)
        if codings.isEmpty { return response }
        var decoded = response
        do {
            let decoder = try BodyDecoder(codings, limit: limit)
            decoded.body = response.body.decoded(by: decoder) { error in
                self.error(for: error, head, request)
            }
        } catch { throw self.error(for: error, head, request) }
        decoded.dropCoding()
        return decoded
    }
}
