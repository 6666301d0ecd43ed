import CPledgeBrotli
import PledgeHTTPNetworking

/// A stream of Brotli (RFC 7932).
final class BrotliDecoder: Decompressor {
    private let decoder: OpaquePointer

    /// Makes a decoder.
    ///
    /// - Throws: ``DecompressionFailure`` if the system has none, or there is no memory.
    init() throws(DecompressionFailure) {
        guard let decoder = cbrotli_decoder_make() else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .brotliMissing)
        }
        self.decoder = decoder
    }

    deinit { cbrotli_decoder_free(decoder) }

    /// Whether the system has a decoder of Brotli.
    static var isAvailable: Bool { cbrotli_is_available() }

    func reset() throws(DecompressionFailure) {
        // A body is one stream: RFC 7932 does not allow several.
        throw DecompressionFailure(.trailingBytes)
    }

    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressionStep {
        try DecompressionStep(input, room: room) { bytes, count, output, produced in
            switch cbrotli_decoder_step(decoder, bytes, count, output, produced) {
            case cbrotli_status_more: .more
            case cbrotli_status_end: .end
            case cbrotli_status_no_memory: .failure(.outOfMemory)
            default: .failure(.malformed)
            }
        }
    }
}
