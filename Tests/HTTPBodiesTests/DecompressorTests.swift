import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPBodies

@Suite(.enabled(if: BrotliDecoder.isAvailable, "the system has no decoder of Brotli"))
struct BrotliDecoderTests {
    private func decoded(_ data: Data, upTo limit: Int = 100_000) throws -> Data {
        try BodyDecoder.decoded(data, [.brotli], limit: limit)
    }

    private func failure(_ data: Data) -> DecompressionFailure.Code? {
        #expect(throws: DecompressionFailure.self) { try decoded(data) }?.code
    }

    @Test func brotliDecodesHoweverItsBytesAreCut() throws {
        let body = Compressed.brotli
        for cut in 0...body.count {
            var decoder = try BodyDecoder([.brotli], limit: 100_000)
            var text = Data()
            for piece in [body.prefix(cut), Data(), body.dropFirst(cut)] {
                decoder.give(piece)
                while let piece = try decoder.read() { text += piece }
            }
            try decoder.finish()
            #expect(text == Compressed.text, "cut at \(cut)")
        }
    }

    @Test func everyTruncationOfBrotliIsNoticed() {
        for count in 1..<Compressed.brotli.count {
            #expect(failure(Compressed.brotli.prefix(count)) == .truncated, "\(count) bytes")
        }
    }

    @Test func nothingMayFollowTheEnd() {
        #expect(failure(Compressed.brotli + Data([0])) == .trailingBytes)
        #expect(failure(Compressed.brotli + Compressed.brotli) == .trailingBytes)
    }

    @Test func whatIsNotBrotliIsMalformed() {
        #expect(failure(Compressed.text) == .malformed)
        #expect(failure(Data(repeating: 0xFF, count: 20)) == .malformed)
    }

    /// The extension with which `brotli --large_window` uses up to a gigabyte is not part of RFC 7932.
    @Test func aWindowOfMoreThan16MiBIsMalformed() {
        #expect(failure(Data([0x11, 0x1E, 0x03])) == .malformed)
        #expect(failure(Data([0x11, 0x19, 0x03])) == .malformed)
    }

    @Test func theLimitOfBrotliIsExact() throws {
        let size = Compressed.text.count
        #expect(try decoded(Compressed.brotli, upTo: size) == Compressed.text)
        let error = #expect(throws: HTTPError.self) {
            try decoded(Compressed.brotli, upTo: size - 1)
        }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func aBombOfBrotliIsNotUnpacked() throws {
        #expect(Compressed.brotliBomb.count < 30)
        var decoder = CodingDecoder(.brotli, limit: 1_000_000)
        decoder.give(Compressed.brotliBomb)
        var count = 0
        let error = #expect(throws: HTTPError.self) {
            while let piece = try decoder.read() {
                #expect(piece.count <= CodingDecoder.piece)
                count += piece.count
            }
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(count <= 1_000_000)
        #expect(try decoded(Compressed.brotliBomb, upTo: .max) == Data(count: 10_000_000))
    }
}

@Suite(.enabled(if: ZstdDecoder.isAvailable, "the system has no libzstd"))
struct ZstdDecoderTests {
    private static let magic = Data([0x28, 0xB5, 0x2F, 0xFD])

    /// A frame that contains "hello" in a block of its own.
    ///
    /// Its window has 2^(10 + exponent) bytes, and
    /// additional eighths of that as the lowest three bits say (RFC 8878, section 3.1.1.1.2).
    private static func hello(window: UInt8) -> Data {
        magic + Data([0, window, 5 << 3 | 1, 0, 0]) + Data("hello".utf8)
    }

    /// A frame that is to be skipped (RFC 8878, section 3.1.2).
    private static func skipped(_ kind: UInt8, _ data: Data) -> Data {
        Data([0x50 | kind, 0x2A, 0x4D, 0x18, UInt8(data.count), 0, 0, 0]) + data
    }

    private func decoded(_ data: Data, cutAt cut: Int = 0, upTo limit: Int = 100_000) throws -> Data
    {
        var decoder = try BodyDecoder([.zstd], limit: limit)
        var decoded = Data()
        for piece in [data.prefix(cut), Data(), data.dropFirst(cut)] {
            decoder.give(piece)
            while let piece = try decoder.read() { decoded += piece }
        }
        try decoder.finish()
        return decoded
    }

    private func failure(_ data: Data, cutAt cut: Int = 0) -> DecompressionFailure.Code? {
        #expect(throws: DecompressionFailure.self) { try decoded(data, cutAt: cut) }?.code
    }

    @Test func zstdDecodesHoweverItsBytesAreCut() throws {
        for body in [Compressed.zstd, Compressed.bareZstd] {
            for cut in 0...body.count {
                #expect(try decoded(body, cutAt: cut) == Compressed.text, "cut at \(cut)")
            }
        }
    }

    @Test func manyEmptyPiecesAreNoError() throws {
        var decoder = try BodyDecoder([.zstd], limit: 100_000)
        decoder.give(Compressed.zstd.prefix(100))
        while try decoder.read() != nil {}
        for _ in 0..<100 {
            decoder.give(Data())
            #expect(try decoder.read() == nil)
        }
        decoder.give(Compressed.zstd.dropFirst(100))
        var rest = Data()
        while let piece = try decoder.read() { rest += piece }
        try decoder.finish()
        #expect(!rest.isEmpty && Compressed.text.suffix(rest.count) == rest)
    }

    @Test func severalFramesAreOneBody() throws {
        let (text, skipped) = (Compressed.text, Self.skipped(0xF, Data("anything".utf8)))
        #expect(try decoded(Compressed.zstd + Compressed.bareZstd) == text + text)
        let mixed =
            skipped + Compressed.bareZstd + Self.skipped(0, Data()) + skipped + Compressed.zstd
            + skipped
        #expect(try decoded(mixed) == text + text)
        for cut in 0...mixed.count {
            #expect(try decoded(mixed, cutAt: cut).count == 2 * text.count, "cut at \(cut)")
        }
        #expect(try decoded(skipped + skipped) == Data())
    }

    @Test func everyTruncationOfZstdIsNoticed() {
        let body = Compressed.bareZstd + Self.skipped(3, Data([1, 2])) + Compressed.zstd
        // After a frame, the body may end.
        let ends = [Compressed.bareZstd.count, body.count - Compressed.zstd.count]
        for count in 1..<body.count where !ends.contains(count) {
            #expect(failure(body.prefix(count)) == .truncated, "\(count) bytes")
        }
    }

    @Test func onlyFramesMayFollowAFrame() {
        #expect(failure(Compressed.zstd + Data([0])) == .malformed)
        #expect(failure(Compressed.zstd + Data([0x28])) == .truncated)
        #expect(failure(Compressed.zstd + Compressed.gzip) == .malformed)
    }

    @Test func whatIsNotZstdIsMalformed() {
        #expect(failure(Compressed.text) == .malformed)
        #expect(failure(Self.magic + Data(repeating: 0xFF, count: 20)) == .malformed)
        var body = Compressed.zstd
        body[body.count - 1] ^= 1
        #expect(failure(body) == .malformed)
    }

    /// The formats before RFC 8878, which a library may read as well, differ in the first byte.
    @Test(arguments: UInt8(0x22)...0x27)
    func anOlderFormatIsMalformed(_ first: UInt8) {
        #expect(failure(Data([first, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0])) == .malformed)
        #expect(failure(Data([first])) == .malformed)
    }

    @Test func aFrameThatNeedsADictionaryIsMalformed() {
        let frame = Self.magic + Data([1, 0x68, 7, 5 << 3 | 1, 0, 0]) + Data("hello".utf8)
        #expect(failure(frame) == .malformed)
    }

    @Test func aWindowHas8MiBAtMost() throws {
        let largest = Self.hello(window: 13 << 3)
        let tooLarge = Self.hello(window: 13 << 3 | 1)
        for cut in 0...largest.count {
            #expect(try decoded(largest, cutAt: cut) == Data("hello".utf8))
            #expect(failure(tooLarge, cutAt: cut) == .windowTooLarge)
        }
        // A length of 9 MiB in four bytes, which is also the window.
        let whole = Self.magic + Data([0xA0, 0, 0, 0x90, 0, 1, 0, 0])
        #expect(failure(whole) == .windowTooLarge)
    }

    /// The limit also applies to a frame whose length fits into a piece, however the frame arrives.
    @Test func aSmallFrameWithALargeWindowIsRefused() {
        let frame =
            Self.magic + Data([0x80, 13 << 3 | 1, 5, 0, 0, 0, 5 << 3 | 1, 0, 0])
            + Data("hello".utf8)
        for cut in 0...frame.count {
            #expect(failure(frame, cutAt: cut) == .windowTooLarge, "cut at \(cut)")
        }
    }

    @Test func theLimitOfZstdIsExact() throws {
        let size = Compressed.text.count
        for body in [Compressed.zstd, Compressed.bareZstd] {
            #expect(try decoded(body, upTo: size) == Compressed.text)
            let error = #expect(throws: HTTPError.self) { try decoded(body, upTo: size - 1) }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test func aBombOfZstdIsNotUnpacked() throws {
        #expect(Compressed.zstdBomb.count < 60)
        var decoder = try BodyDecoder([.zstd, .zstd], limit: 1_000_000)
        decoder.give(Compressed.zstdBomb)
        var count = 0
        let error = #expect(throws: HTTPError.self) {
            while let piece = try decoder.read() {
                #expect(piece.count <= CodingDecoder.piece)
                count += piece.count
            }
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(count <= 1_000_000)
    }
}
