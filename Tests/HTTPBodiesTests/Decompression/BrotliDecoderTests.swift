import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
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

    @Test func whereItIsCutMakesNoDifference() throws {
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

    @Test func everyTruncationIsNoticed() {
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

    @Test func theLimitIsExact() throws {
        let size = Compressed.text.count
        #expect(try decoded(Compressed.brotli, upTo: size) == Compressed.text)
        let error = #expect(throws: HTTPError.self) {
            try decoded(Compressed.brotli, upTo: size - 1)
        }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func aBombIsNotUnpacked() throws {
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
