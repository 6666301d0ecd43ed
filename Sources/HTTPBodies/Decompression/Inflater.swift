import CPledgeZlib
import PledgeHTTPNetworking

/// A stream of zlib's: gzip or deflate.
final class Inflater: Decompressor {
    private let inflater: OpaquePointer
    private let format: czlib_format

    /// Makes an inflater.
    ///
    /// - Throws: ``DecompressionFailure`` if there is no zlib, or no memory.
    init(_ format: czlib_format) throws(DecompressionFailure) {
        guard let inflater = czlib_inflater_make(format) else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .zlibMissing)
        }
        self.inflater = inflater
        self.format = format
    }

    deinit { czlib_inflater_free(inflater) }

    /// Whether the system has a zlib.
    static var isAvailable: Bool { czlib_is_available() }

    func reset() throws(DecompressionFailure) {
        // A gzip file is one member or several (RFC 1952, section 2.2); deflate is one stream.
        guard format == czlib_format_gzip else { throw DecompressionFailure(.trailingBytes) }
        guard czlib_inflater_reset(inflater) else { throw DecompressionFailure(.outOfMemory) }
    }

    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressionStep {
        try DecompressionStep(input, room: room) { bytes, count, output, produced in
            switch czlib_inflater_step(inflater, bytes, count, output, produced) {
            case czlib_status_more: .more
            case czlib_status_end: .end
            case czlib_status_no_memory: .failure(.outOfMemory)
            default: .failure(.malformed)
            }
        }
    }
}
