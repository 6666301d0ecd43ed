import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
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
    func aCompressedBodyIsDecompressed(_ encoding: String, _ body: Data) {
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

    @Test func theLimitOfADecompressedBodyIsExact() {
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

    @Test func everyTruncationOfACompressedBodyIsNoticed() {
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

    @Test func aRequestAsksForTheCodingsThatCanBeRead() {
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
    @Test func continuousIntegrationHasEveryLibrary() {
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
    func anErrorSaysThatALibraryIsMissing(_ name: String, _ library: String) throws {
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

@Suite(.oneAtATime) struct DecompressStreamTests {
    private let request = HTTPRequest(.get, URL(string: "https://example.com/song")!)

    private func load(
        _ encoding: String, _ body: HTTPBodyStream, upTo limit: Int = 100_000
    ) -> HTTPStreamedResponse? {
        let headers: HTTPHeaders = ["Content-Encoding": encoding, "Content-Length": "9"]
        let response = HTTPStreamedResponse(status: 200, headers: headers, body: body)
        let service: HTTPStreamingService = stack(
            .decompress(upTo: limit), over: { _ in Future(value: response) })
        return service(request).valueNow
    }

    @Test(arguments: [1, 2, 3, 7, 100, 1_000])
    func chunksOfAnySizeAreDecompressed(_ size: Int) {
        for (encoding, data) in [
            ("gzip", Compressed.gzip), ("deflate", Compressed.zlib), ("deflate", Compressed.raw),
            ("gzip, gzip", Compressed.twice), ("gzip, deflate", Compressed.deflatedGzip),
            ("gzip", Compressed.gzip + Compressed.gzip), ("br", Compressed.brotli),
            ("zstd", Compressed.zstd), ("zstd", Compressed.bareZstd + Compressed.zstd),
            ("gzip, br", Compressed.brotliGzip), ("br, zstd", Compressed.zstdBrotli),
        ].filter(isReadable) {
            let response = load(encoding, HTTPBodyStream(data, chunksOf: size))
            #expect(response?.headers.isEmpty == true)
            #expect(response?.body.length == nil)
            let text = response?.body.collected(upTo: .max).valueNow
            #expect(text?.prefix(Compressed.text.count) == Compressed.text)
        }
    }

    /// Whether this machine can decode a body; `continuousIntegrationHasEveryLibrary` requires it in CI.
    private func isReadable(_ encoding: String, _: Data) -> Bool {
        let codings = ContentCoding.all(in: ["Content-Encoding": encoding]) ?? []
        return ContentCoding.available.isSuperset(of: codings)
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func anEmptyBodyStaysEmpty(_ encoding: String) {
        guard isReadable(encoding, Data()) else { return }
        let response = load(encoding, HTTPBodyStream(Data()))
        #expect(response?.body.collected(upTo: 0).valueNow == Data())
    }

    @Test(arguments: [
        ("gzip, gzip", Compressed.bomb), ("br", Compressed.brotliBomb),
        ("zstd, zstd", Compressed.zstdBomb),
    ])
    func aCompressedStreamIsReadAsItIsAskedFor(_ encoding: String, _ bomb: Data) {
        guard isReadable(encoding, bomb) else { return }
        let given = Locked(0)
        let rest = Locked(bomb)
        let body = HTTPBodyStream(next: {
            given.withLock { $0 += 1 }
            return rest.withLock { rest in
                defer { rest = Data() }
                return Future(value: rest.isEmpty ? nil : rest)
            }
        })
        let response = load(encoding, body, upTo: .max)
        #expect(given.withLock { $0 } == 0)
        let first = response?.body.next().valueNow ?? nil
        #expect(first == Data(count: 65_536))
        #expect(given.withLock { $0 } == 1)
        #expect(response?.body.collected(upTo: .max).valueNow?.count == 10_000_000 - 65_536)
    }

    @Test func theLimitOfADecompressedStreamIsExact() {
        let size = Compressed.text.count
        let enough = load("gzip", HTTPBodyStream(Compressed.gzip), upTo: size)
        #expect(enough?.body.collected(upTo: .max).valueNow?.count == size)
        let tooSmall = load("gzip", HTTPBodyStream(Compressed.gzip), upTo: size - 1)
        let error = tooSmall?.body.collected(upTo: .max).errorNow as? HTTPError
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func whatIsBrokenFailsTheStreamAndCancelsTheBody() {
        let cancelled = Locked(0)
        let body = HTTPBodyStream(
            next: { Future(value: Compressed.text) },
            cancel: { cancelled.withLock { $0 += 1 } })
        let stream = load("gzip", body)?.body
        let error = stream?.next().errorNow as? HTTPError
        #expect(error?.code == .badResponse)
        #expect(error?.response?.headers["Content-Encoding"] == "gzip")
        #expect((error?.cause as? DecompressionFailure)?.code == .malformed)
        #expect(cancelled.withLock { $0 } == 1)
        #expect((stream?.next().errorNow as? HTTPError)?.code == .badResponse)
    }

    @Test func aTruncatedBodyFailsTheStreamAtItsEnd() {
        let stream = load("gzip", HTTPBodyStream(Compressed.gzip.dropLast()))?.body
        let error = stream?.collected(upTo: .max).errorNow as? HTTPError
        #expect((error?.cause as? DecompressionFailure)?.code == .truncated)
    }

    @Test func anErrorOfTheBodyPassesUnchanged() {
        let body = HTTPBodyStream(next: { Future(error: HTTPError(code: .connectionLost)) })
        let error = load("gzip", body)?.body.next().errorNow as? HTTPError
        #expect(error?.code == .connectionLost)
    }

    @Test func aDecompressedStreamThatIsReleasedCancelsTheBody() {
        let cancelled = Locked(0)
        let never = Promise<Data?>()
        func make() -> HTTPStreamedResponse? {
            load(
                "gzip",
                HTTPBodyStream(next: { never }, cancel: { cancelled.withLock { $0 += 1 } }))
        }
        var response = make()
        #expect(cancelled.withLock { $0 } == 0)
        response = nil
        #expect(response == nil && cancelled.withLock { $0 } == 1)
        let reading = make()?.body
        let chunk = reading?.next()
        reading?.cancel()
        #expect(chunk?.errorNow is CancellationError)
        #expect(cancelled.withLock { $0 } == 2)
    }

    @Test func aHundredThousandChunksThatSayNothingOverflowNoStack() {
        let left = Locked(100_000)
        // A header whose name never ends.
        let start = Data([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 0])
        let body = HTTPBodyStream(next: {
            left.withLock { left in
                left -= 1
                if left == 99_999 { return Future(value: start) }
                return Future(value: left > 0 ? Data([65]) : nil)
            }
        })
        let error = load("gzip", body)?.body.next().errorNow as? HTTPError
        #expect((error?.cause as? DecompressionFailure)?.code == .truncated)
    }

    /// Data that is changed at random does not trap, hang, or decode to more than the limit.
    @Test func randomDamageIsAnErrorOrAnAnswer() {
        var generator = SeededGenerator(seed: 11)
        let corpus = [
            ("gzip", Compressed.gzip), ("deflate", Compressed.zlib), ("deflate", Compressed.raw),
            ("gzip, gzip", Compressed.twice), ("gzip, gzip", Compressed.bomb),
            ("br", Compressed.brotli), ("br", Compressed.brotliBomb), ("zstd", Compressed.zstd),
            ("zstd", Compressed.bareZstd + Compressed.zstd), ("zstd, zstd", Compressed.zstdBomb),
            ("gzip, br", Compressed.brotliGzip), ("br, zstd", Compressed.zstdBrotli),
        ].filter(isReadable)
        for _ in 0..<fuzzInputCount() / 2 {
            let (encoding, original) = corpus.randomElement(using: &generator)!
            var data = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<data.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: data[index] = UInt8.random(in: 0...255, using: &generator)
                case 1 where data.count > 1: data.remove(at: index)
                default: data.insert(data[index], at: index)
                }
            }
            let size = Int.random(in: 1...300, using: &generator)
            let body = load(encoding, HTTPBodyStream(data, chunksOf: size), upTo: 20_000)?.body
            switch body?.collected(upTo: .max).result {
            case .success(let decoded): #expect(decoded.count <= 20_000)
            case .failure(let error as HTTPError):
                #expect([.badResponse, .bodyTooLarge].contains(error.code))
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }
}
