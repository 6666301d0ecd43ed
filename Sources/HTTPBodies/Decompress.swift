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

/// What `.decompress(upTo:)` does with a request, and with the head of its response.
struct Decompression {
    /// The largest decompressed body, in bytes.
    let limit: Int
    /// The codings that can be decoded.
    let available: Set<ContentCoding>
    /// The Accept-Encoding that asks for them.
    private let acceptEncoding: String

    init(limit: Int, available: Set<ContentCoding> = ContentCoding.available) {
        self.limit = limit
        self.available = available
        let names = ContentCoding.allCases.filter(available.contains).map(\.rawValue)
        acceptEncoding = names.joined(separator: ", ")
    }

    /// The request with Accept-Encoding, if it has none.
    ///
    /// Only codings that can be decoded are requested; none with Range, because a part of a compressed body
    /// cannot be decompressed.
    func asking(_ request: HTTPRequest) -> HTTPRequest {
        guard !available.isEmpty, request.headers["Accept-Encoding"] == nil,
            request.headers["Range"] == nil
        else { return request }
        var request = request
        request.headers.add(acceptEncoding, for: "Accept-Encoding")
        return request
    }

    /// The codings to decode; none if the body does not change.
    ///
    /// - Throws: `HTTPError` if the system has no library for one of them.
    func codings(
        of head: HTTPResponse, to request: HTTPRequest
    ) throws(HTTPError) -> [ContentCoding] {
        // These have no body, independent of the headers, or only a part of one.
        let bare = [204, 205, 206, 304]
        let isBare = (100...199).contains(head.status) || bare.contains(head.status)
        guard !isBare, request.method != .head,
            let codings = ContentCoding.all(in: head.headers), !codings.isEmpty
        else { return [] }
        guard let lacking = codings.first(where: { !available.contains($0) }) else {
            return codings
        }
        if head.statusMatters { return [] }
        throw error(for: DecompressionFailure(lacking.missing), head, request)
    }

    /// The error of a response that cannot be decompressed.
    func error(
        for failure: any Error, _ response: HTTPResponse, _ request: HTTPRequest
    ) -> HTTPError {
        let code: HTTPError.Code =
            switch (failure as? DecompressionFailure)?.code {
            case .malformed, .truncated, .trailingBytes, .windowTooLarge: .badResponse
            case .tooManyCodings, .zlibMissing, .brotliMissing, .zstdMissing: .unsupported
            case .outOfMemory: .other
            case nil: (failure as? HTTPError)?.code ?? .other
            }
        return HTTPError(
            code: code, request: request, response: response,
            cause: failure is HTTPError ? nil : failure,
            reason: code == .bodyTooLarge ? "decompressed, it has more than \(limit) bytes" : nil)
    }
}

extension HTTPResponseHead {
    /// Whether the status matters more than the body: what stands above decides by it.
    var statusMatters: Bool { status >= 300 }

    /// Removes the headers of the compressed body.
    mutating func dropCoding() {
        headers.remove("Content-Encoding")
        headers.remove("Content-Length")
    }
}

extension HTTPBodyStream {
    /// The same bytes without their codings, decoded on request.
    ///
    /// - Parameter failure: Makes the stream's error from the decoder's.
    func decoded(
        by decoder: BodyDecoder, failingWith failure: @escaping @Sendable (any Error) -> HTTPError
    ) -> HTTPBodyStream {
        let decoding = DecodedBody(self, decoder, failure)
        return HTTPBodyStream(next: decoding.next, cancel: cancel)
    }
}

/// A body and the state of its decoding.
private final class DecodedBody: Sendable {
    private let body: HTTPBodyStream
    private let decoder: Locked<BodyDecoder>
    private let failure: @Sendable (any Error) -> HTTPError

    init(
        _ body: HTTPBodyStream, _ decoder: BodyDecoder,
        _ failure: @escaping @Sendable (any Error) -> HTTPError
    ) {
        self.body = body
        self.decoder = Locked(decoder)
        self.failure = failure
    }

    @Sendable func next() -> Future<Data?> {
        do {
            if let piece = try decoder.withLock({ try $0.read() }) { return Future(value: piece) }
        } catch { return fail(error) }
        return body.next().flatMapSomeResults { result in
            guard case .success(let data) = result else { return nil }
            guard let data else {
                do { try self.decoder.withLock { try $0.finish() } } catch {
                    return self.fail(error)
                }
                return nil
            }
            self.decoder.withLock { $0.give(data) }
            return self.next()
        }
    }

    private func fail(_ error: any Error) -> Future<Data?> {
        body.cancel()
        return Future(error: failure(error))
    }
}
