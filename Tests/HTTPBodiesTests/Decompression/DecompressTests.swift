import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@testable import PledgeHTTPBodies

@Suite struct DecompressTests {
    private let url = URL(string: "https://example.com/song")!

    /// The result of decompressing a response.
    private func future(
        _ response: HTTPResponse, upTo limit: Int = 100_000, method: HTTPMethod = .get
    ) -> Future<HTTPResponse> {
        stack(.decompress(upTo: limit), over: { _ in Future(value: response) })(
            HTTPRequest(method, url))
    }

    private func response(_ encoding: String, _ body: Data, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                "Content-Encoding": encoding, "Content-Length": "\(body.count)", "ETag": "\"1\"",
            ],
            body: body)
    }

    private func failure(_ response: HTTPResponse, upTo limit: Int = 100_000) -> HTTPError? {
        future(response, upTo: limit).errorNow as? HTTPError
    }

    @Test func theRequestIsKnownAsItWasSent() {
        let answered = future(response("gzip", Compressed.gzip)).valueNow
        let sent = answered?.request?.headers["Accept-Encoding"]
        #expect(sent?.hasPrefix("gzip, deflate") == true)
        let failed = failure(response("gzip", Data("no gzip".utf8)))
        #expect(failed?.request?.headers["Accept-Encoding"] == sent)
    }

    @Test(arguments: [
        ("gzip", Compressed.gzip), ("GZip", Compressed.gzip), ("x-gzip", Compressed.gzip),
        ("deflate", Compressed.zlib), ("deflate", Compressed.raw),
        ("gzip, gzip", Compressed.twice), ("gzip,\tdeflate ", Compressed.deflatedGzip),
        ("identity, gzip, , identity", Compressed.gzip), ("br", Compressed.brotli),
        ("BR", Compressed.brotli), ("zstd", Compressed.zstd), ("zstd", Compressed.bareZstd),
        ("gzip, br", Compressed.brotliGzip), ("br, zstd", Compressed.zstdBrotli),
    ])
    func whatIsCompressedIsDecompressed(_ encoding: String, _ body: Data) {
        let codings = ContentCoding.all(in: ["Content-Encoding": encoding])
        if let lacking = codings?.first(where: { !ContentCoding.available.contains($0) }) {
            let cause = failure(response(encoding, body))?.cause as? DecompressionFailure
            #expect(cause?.code == lacking.missing)
            return
        }
        let decoded = future(response(encoding, body)).valueNow
        #expect(decoded?.body == Compressed.text)
        #expect(decoded?.headers == ["ETag": "\"1\""])
    }

    @Test(
        arguments: [302, 401, 404, 503],
        ["gzip", "br", "zstd", "gzip, gzip, gzip, gzip, gzip, gzip"])
    func aStatusMattersMoreThanABodyThatDoesNotDecode(status: Int, encoding: String) {
        let refusal = response(encoding, Data("plain text".utf8), status: status)
        let passed = future(refusal).valueNow
        #expect(passed?.status == status)
        #expect(passed?.body == refusal.body)
        #expect(passed?.headers == refusal.headers)
        let bomb = response("gzip", Compressed.gzip, status: status)
        #expect(future(bomb, upTo: 3).valueNow?.body == bomb.body)
        #expect(future(bomb).valueNow?.body == Compressed.text)
    }

    @Test func severalFieldsAreOneList() {
        let headers: HTTPHeaders = ["Content-Encoding": "gzip", "content-encoding": "gzip"]
        let twice = HTTPResponse(status: 200, headers: headers, body: Compressed.twice)
        #expect(future(twice).valueNow?.body == Compressed.text)
    }

    @Test func aSliceOfABufferIsDecompressed() {
        let slice = (Data([1, 2, 3]) + Compressed.zlib).dropFirst(3)
        #expect(slice.startIndex == 3)
        #expect(future(response("deflate", slice)).valueNow?.body == Compressed.text)
    }

    @Test func anErrorsBodyIsDecompressedToo() {
        let gone = future(response("gzip", Compressed.gzip, status: 410)).valueNow
        #expect(gone?.status == 410)
        #expect(gone?.body == Compressed.text)
    }

    @Test func severalMembersOfAGzipFileAreOneBody() {
        let both = future(response("gzip", Compressed.gzip + Compressed.gzip)).valueNow
        #expect(both?.body == Compressed.text + Compressed.text)
    }

    // MARK: - What is left alone

    @Test(arguments: ["compress", "brotli", "dcb", "gzip, dcz", "dcz, gzip", "gzip x"])
    func anUnknownCodingIsLeftAlone(_ encoding: String) {
        let unknown = response(encoding, Compressed.gzip)
        #expect(future(unknown).valueNow == unknown)
    }

    @Test(arguments: [100, 204, 205, 206, 304])
    func whatHasNoWholeBodyIsLeftAlone(_ status: Int) {
        let bare = response("gzip", Compressed.gzip, status: status)
        #expect(future(bare).valueNow == bare)
    }

    @Test func headAndEmptyBodiesAreLeftAlone() {
        let head = response("gzip", Compressed.gzip)
        #expect(future(head, method: .head).valueNow == head)
        let empty = response("gzip", Data())
        #expect(future(empty).valueNow == empty)
        let identity = response("identity", Compressed.text)
        #expect(future(identity).valueNow == identity)
        let plain = HTTPResponse(status: 200, headers: ["Content-Length": "2"], body: Data([1, 2]))
        #expect(future(plain).valueNow == plain)
    }

    // MARK: - Bounds

    @Test func theLimitIsExact() {
        let size = Compressed.text.count
        for (encoding, body) in [("gzip", Compressed.gzip), ("gzip, gzip", Compressed.twice)] {
            #expect(future(response(encoding, body), upTo: size).valueNow?.body.count == size)
            let error = failure(response(encoding, body), upTo: size - 1)
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.response?.body == body)
        }
        #expect(failure(response("gzip", Compressed.gzip), upTo: 0)?.code == .bodyTooLarge)
    }

    @Test func aBombIsNotUnpacked() {
        #expect(Compressed.bomb.count < 200)
        let bomb = response("gzip, gzip", Compressed.bomb)
        let error = failure(bomb, upTo: 1_000_000)
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.reason == "decompressed, it has more than 1000000 bytes")
        // The data between two codings is bounded as well.
        #expect(failure(response("deflate, gzip", Compressed.gzip), upTo: 0)?.code != nil)
        #expect(future(bomb, upTo: .max).valueNow?.body == Data(count: 10_000_000))
    }

    @Test func tooManyCodingsAreRefused() {
        let error = failure(response("gzip, gzip, gzip, gzip, gzip, gzip", Compressed.gzip))
        #expect(error?.code == .unsupported)
        #expect(error?.cause as? DecompressionFailure == DecompressionFailure(.tooManyCodings))
    }

    // MARK: - What is broken

    private func cause(_ encoding: String, _ body: Data) -> DecompressionFailure.Code? {
        let error = failure(response(encoding, body))
        #expect(error?.code == .badResponse)
        #expect(error?.request?.url == url)
        #expect(error?.response?.body == body)
        return (error?.cause as? DecompressionFailure)?.code
    }

    @Test func whatIsNotCompressedIsMalformed() {
        #expect(cause("gzip", Compressed.text) == .malformed)
        #expect(cause("gzip", Compressed.zlib) == .malformed)
        #expect(cause("deflate", Data([0xFF, 0xFF, 0xFF])) == .malformed)
        #expect(cause("gzip, gzip", Compressed.gzip) == .malformed)
    }

    @Test func aWrongChecksumIsMalformed() {
        var body = Compressed.gzip
        body[body.count - 6] ^= 1
        #expect(cause("gzip", body) == .malformed)
    }

    @Test func everyTruncationIsNoticed() {
        for (encoding, body) in [
            ("gzip", Compressed.gzip), ("deflate", Compressed.zlib), ("deflate", Compressed.raw),
            ("gzip, gzip", Compressed.twice),
        ] {
            for count in 1..<body.count {
                #expect(cause(encoding, body.prefix(count)) == .truncated, "\(encoding) \(count)")
            }
        }
    }

    @Test func whatFollowsTheEndIsNoticed() {
        #expect(cause("deflate", Compressed.zlib + Data([0])) == .trailingBytes)
        #expect(cause("gzip", Compressed.gzip + Data([0, 0])) == .malformed)
        #expect(cause("gzip", Compressed.gzip + Data([0x1F])) == .truncated)
    }

    // MARK: - The request

    private func asked(
        _ headers: HTTPHeaders, of available: Set<ContentCoding> = Set(ContentCoding.allCases)
    ) -> String? {
        Decompression(limit: 1, available: available)
            .asking(HTTPRequest(.get, url, headers: headers)).headers["Accept-Encoding"]
    }

    @Test func itAsksForWhatItCanRead() {
        #expect(asked([:]) == "gzip, deflate, br, zstd")
        #expect(asked([:], of: [.zstd, .deflate, .gzip]) == "gzip, deflate, zstd")
        #expect(asked([:], of: [.brotli]) == "br")
        #expect(asked([:], of: []) == nil)
        #expect(asked(["accept-encoding": "x"]) == "x")
        #expect(asked(["Range": "bytes=0-9"]) == nil)
    }

    @Test func aCallAsksForWhatThisMachineCanRead() {
        let sent = Locked<[HTTPRequest]>([])
        let load: HTTPService = stack(
            .decompress(upTo: 1),
            over: { request in
                sent.withLock { $0.append(request) }
                return Future(value: HTTPResponse(status: 204))
            })
        _ = load(HTTPRequest(.get, url))
        let asked = asked([:], of: ContentCoding.available)
        #expect(sent.withLock { $0.map { $0.headers["Accept-Encoding"] } } == [asked])
    }

    /// If a library is missing, other tests expect the error that says so; this test requires all libraries
    /// in CI.
    @Test func ciHasEveryLibrary() {
        guard ProcessInfo.processInfo.environment["CI"] != nil else { return }
        #if os(Linux)
        #expect(ContentCoding.available == Set(ContentCoding.allCases))
        #else
        #expect(ContentCoding.available == [.gzip, .deflate, .brotli])
        #endif
    }

    @Test(arguments: [
        ("gzip", "libz.so.1"), ("deflate", "libz.so.1"), ("br", "libbrotlidec.so.1"),
        ("zstd", "libzstd.so.1"),
    ])
    func withoutALibraryAnErrorSaysSo(_ name: String, _ library: String) throws {
        let coding = try #require(ContentCoding(rawValue: name))
        let others = Set(ContentCoding.allCases).subtracting([coding])
        let without = Decompression(limit: 1, available: others)
        for encoding in [name, "\(name), gzip"] {
            let compressed = response(encoding, Compressed.gzip)
            let error = #expect(throws: HTTPError.self) {
                try without.decoded(compressed, to: HTTPRequest(.get, url))
            }
            #expect(error?.code == .unsupported)
            #expect(error?.response == compressed)
            let cause = error?.cause as? DecompressionFailure
            #expect(cause?.code == coding.missing)
            #expect(cause?.localizedDescription.contains(library) == true)
        }
    }

    @Test func anErrorFromBelowPassesUnchanged() {
        let load: HTTPService = stack(
            .decompress(upTo: 1), over: { _ in Future(error: HTTPError(code: .timedOut)) })
        #expect((load(HTTPRequest(.get, url)).errorNow as? HTTPError)?.code == .timedOut)
    }
}
