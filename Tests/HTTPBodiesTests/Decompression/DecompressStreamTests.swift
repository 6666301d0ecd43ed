import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

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

    /// Whether this machine can decode a body; `ciHasEveryLibrary` requires it in CI.
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
    func itIsReadAsItIsAskedFor(_ encoding: String, _ bomb: Data) {
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

    @Test func theLimitIsExact() {
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

    @Test func whatIsLetGoCancelsTheBody() {
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
