import CZlib
import HTTPNetworking

/// One stream of zlib's, from its first byte to its last.
///
/// Not to be used by two threads at once: whoever shares it holds a lock.
final class Inflater {
    /// What one step made of the input.
    struct Inflated {
        var output: Data
        /// How many bytes of the input were used.
        var consumed: Int
        /// Whether the compressed data has ended.
        var isAtEnd: Bool
    }

    private let inflater: OpaquePointer

    /// Makes an inflater.
    ///
    /// - Throws: ``DecompressionFailure`` where there is no zlib, or no memory.
    init(_ format: czlib_format) throws(DecompressionFailure) {
        guard let inflater = czlib_inflater_make(format) else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .zlibMissing)
        }
        self.inflater = inflater
    }

    deinit { czlib_inflater_free(inflater) }

    /// Whether the system has a zlib.
    static var isAvailable: Bool { czlib_is_available() }

    /// Begins anew, for the next member of a gzip file.
    func reset() throws(DecompressionFailure) {
        guard czlib_inflater_reset(inflater) else { throw DecompressionFailure(.outOfMemory) }
    }

    /// Decompresses as much as there is input, and room for output.
    ///
    /// - Parameter room: How many bytes of output there may be, at least one.
    /// - Throws: ``DecompressionFailure``.
    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> Inflated {
        var (consumed, produced) = (input.count, room)
        var status = czlib_status_more
        let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            status = input.withUnsafeBytes { bytes in
                czlib_inflater_step(
                    inflater, bytes.bindMemory(to: UInt8.self).baseAddress, &consumed, start,
                    &produced)
            }
            count = produced
        }
        switch status {
        case czlib_status_more, czlib_status_end:
            return Inflated(
                output: Data(output), consumed: consumed, isAtEnd: status == czlib_status_end)
        case czlib_status_no_memory: throw DecompressionFailure(.outOfMemory)
        default: throw DecompressionFailure(.malformed)
        }
    }
}
