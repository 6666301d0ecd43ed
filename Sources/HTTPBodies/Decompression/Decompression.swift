import PledgeHTTPNetworking

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
