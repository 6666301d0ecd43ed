import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Decompresses bodies that the transport hasn't decompressed.
    ///
    /// ```swift
    /// let service = stack(.decompress(upTo: 10_000_000), over: transport.send)
    /// ```
    ///
    /// A request that has neither Accept-Encoding nor Range gets `Accept-Encoding: gzip, deflate, br, zstd`, limited to
    /// the codings that the system's libraries can decode. The libraries are looked up once, when the first such
    /// middleware is created: zlib for gzip and deflate, libbrotlidec for br, libzstd for zstd. Apple's systems decode
    /// br with a library of their own, and don't decode zstd.
    ///
    /// A body with one or more of these codings in its Content-Encoding is decompressed on the thread that settles the
    /// call. The response then has no Content-Encoding and no Content-Length. Deflate is accepted with zlib's wrapper
    /// (RFC 1950) and without it, which some servers send. A body may consist of several gzip members or zstd frames.
    ///
    /// The response keeps its body and Content-Encoding in these cases:
    ///
    /// - It has no body (an answer to HEAD, a 204, a 304, or an empty body), or only a part of a body (a 206).
    /// - It has an unknown coding, such as compress.
    /// - Its status is 300 or more, and its body can't be decoded. A retry, a redirect and the caller need the status
    ///   more than the body.
    ///
    /// In all other cases, a body that can't be decoded fails the call with an `HTTPError` that keeps the response.
    /// These codes have the reason in their text: `HTTPError.Code.badResponse` if the body is malformed,
    /// truncated, followed by other bytes, or has a zstd window of more than 8 MiB; and `HTTPError.Code.unsupported` if
    /// the system lacks the library, or if there are more than five codings. The code is `HTTPError.Code.bodyTooLarge`
    /// if the body exceeds the limit.
    ///
    /// **Place.** Put `.decompress` directly above the transport. Below a cache, it decodes each stored body only once.
    /// It must be below `.acceptStatus()`, because it doesn't change a response within an error. A transport that
    /// decompresses bodies itself must remove Content-Encoding.
    ///
    /// - Parameter limit: The largest decompressed body, in bytes; decompression stops when there are more. Less than
    ///   zero is a programming error and traps.
    public static func decompress(upTo limit: Int) -> Middleware {
        let decompression = Decompression(upTo: limit)
        return Middleware(named: "decompress") { next in
            { request in
                let request = decompression.asking(request)
                let answer = next(request)
                if answer.hasSucceeded({ $0.hasRequest && $0.headers["Content-Encoding"] == nil }) {
                    return answer
                }
                // Decoding and naming in one step saves a future.
                return answer.replacingAtEnd { result in
                    guard case .success(let response) = result else {
                        return result.withRequest(request)
                    }
                    do {
                        return .success(
                            try decompression.decoded(response, to: request).withRequest(request))
                    } catch {
                        return .failure(error)
                    }
                }
            }
        }
    }
}

extension Middleware where Input == HTTPRequest, Output == HTTPStreamedResponse {
    /// Decompresses bodies that the transport hasn't decompressed, while they are read.
    ///
    /// It works like `decompress(upTo:)` for whole responses, with two differences: malformed bytes fail the stream
    /// when they are read, and an empty body can't be recognised in advance. The stream returns pieces of at most 64
    /// KiB, and its length is unknown. The body of a resumed download is decoded when it is complete, without this limit
    /// (`download(_:to:over:accepting:limit:sha256:resuming:parts:progress:random:on:)`). Between two pieces, it keeps each coding's window: at most 32 KiB for gzip and
    /// deflate, 16 MiB for br, and 8 MiB for zstd.
    ///
    /// - Parameter limit: The largest decompressed body, in bytes; the stream fails if there are more. Less than zero
    ///   is a programming error and traps.
    public static func decompress(upTo limit: Int) -> Middleware {
        let decompression = Decompression(upTo: limit)
        return Middleware(changing: "decompress") { next in
            { request in
                let request = decompression.asking(request)
                let answer = next(request)
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
        // Only the head, so that an error doesn't keep the body alive.
        let head = response.head
        let codings = try codings(of: head, to: request)
        if codings.isEmpty { return response }
        var decoded = response
        do {
            let decoder = try BodyDecoder(codings, limit: limit)
            if request.context.coding == .kept, !head.statusMatters { return response }
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

/// What `.decompress(upTo:)` does with requests and responses.
struct Decompression {
    /// The most decompressed bytes.
    let limit: Int
    /// The codings that the system can decode.
    let available: Set<ContentCoding>
    /// The Accept-Encoding that asks for them.
    private let acceptEncoding: String

    init(limit: Int, available: Set<ContentCoding> = ContentCoding.available) {
        self.limit = limit
        self.available = available
        let names = ContentCoding.allCases.filter(available.contains).map(\.rawValue)
        acceptEncoding = names.joined(separator: ", ")
    }

    /// Adds Accept-Encoding to a request that has none.
    ///
    /// A request with Range stays as it is, because a part of a compressed body can't be decompressed.
    func asking(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        if request.context.coding == .wanted { request.context.coding = .kept }
        guard !available.isEmpty, request.headers["Accept-Encoding"] == nil,
            request.headers["Range"] == nil
        else { return request }
        request.headers.add(acceptEncoding, for: "Accept-Encoding")
        return request
    }

    /// The codings to decode; empty if the body stays as it is.
    ///
    /// - Throws: `HTTPError` if the system has no library for one of them.
    func codings(
        of head: HTTPResponse, to request: HTTPRequest
    ) throws(HTTPError) -> [ContentCoding] {
        // Whatever their headers say, these responses have a part of a body, or none.
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
    /// True if layers above decide by the status, so that a body that can't be decoded must not hide it.
    var statusMatters: Bool { status >= 300 }

    mutating func dropCoding() {
        headers.remove("Content-Encoding")
        headers.remove("Content-Length")
    }
}

extension HTTPBodyStream {
    /// A stream that decodes bytes when they are read.
    ///
    /// - Parameter failure: Makes the stream's error from the decoder's.
    func decoded(
        by decoder: BodyDecoder, failingWith failure: @escaping @Sendable (any Error) -> HTTPError
    ) -> HTTPBodyStream {
        let decoding = DecodedBody(self, decoder, failure)
        return HTTPBodyStream(next: decoding.next, cancel: cancel)
    }
}

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
