import CPledgeZstd
import PledgeHTTPNetworking

/// Frames of Zstandard (RFC 8878), one after another; skippable frames are empty.
final class ZstdDecoder: Decompressor {
    /// The logarithm of the largest window that HTTP allows, 8 MiB (RFC 9659, section 3).
    private static let windowLog: Int32 = 23

    private let decoder: OpaquePointer
    private var magic = ZstdMagic()

    /// Makes a decoder.
    ///
    /// - Throws: ``DecompressionFailure`` if the system has none, or there is no memory.
    init() throws(DecompressionFailure) {
        guard let decoder = czstd_decoder_make(Self.windowLog) else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .zstdMissing)
        }
        self.decoder = decoder
    }

    deinit { czstd_decoder_free(decoder) }

    /// Whether the system has a decoder of Zstandard.
    static var isAvailable: Bool { czstd_is_available() }

    func reset() throws(DecompressionFailure) {
        guard czstd_decoder_reset(decoder) else { throw DecompressionFailure(.outOfMemory) }
        magic = ZstdMagic()
    }

    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressionStep {
        // A separate step for the magic number: the library would decode a small complete frame without a
        // check of its window, so that the result would depend on the chunks of the body.
        let input = magic.isWhole ? input : input.prefix(magic.missing)
        guard magic.takes(input) else { throw DecompressionFailure(.malformed) }
        return try DecompressionStep(input, room: room) { bytes, count, output, produced in
            switch czstd_decoder_step(decoder, bytes, count, output, produced) {
            case czstd_status_more: .more
            case czstd_status_end: .end
            case czstd_status_window_too_large: .failure(.windowTooLarge)
            case czstd_status_no_memory: .failure(.outOfMemory)
            default: .failure(.malformed)
            }
        }
    }
}
