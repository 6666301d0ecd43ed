import CPledgeBrotli
import CPledgeZlib
import CPledgeZstd
import PledgeHTTPMessages

/// Decodes one stream of compressed bytes.
///
/// It isn't safe for two threads at once.
protocol Decompressor: AnyObject {
    /// Decompresses as much as fits into `room` bytes, which is at least one.
    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressionStep

    /// Begins again after the end of the compressed data.
    ///
    /// - Throws: ``DecompressionFailure`` with the code `trailingBytes` if no more data may follow.
    func reset() throws(DecompressionFailure)
}

struct DecompressionStep {
    /// Why a step ended, as the C function says.
    enum End {
        /// It needs more input, or more room for output.
        case more
        case end
        case failure(DecompressionFailure.Code)
    }

    var output: Data
    /// How many input bytes were used.
    var consumed: Int
    var isAtEnd: Bool

    /// Performs a step with a C function.
    ///
    /// - Parameters:
    ///   - room: The size of the output buffer, in bytes; at least one.
    ///   - step: Calls the C function with the input and its count, and the output buffer and its count. It sets each
    ///     count to the bytes that it used, and keeps no pointer.
    init(
        _ input: Data, room: Int,
        by step: (
            UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>,
            UnsafeMutablePointer<Int>
        ) -> End
    ) throws(DecompressionFailure) {
        var (consumed, produced) = (input.count, room)
        var end = End.more
        let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            end = input.withUnsafeBytes { bytes in
                step(bytes.bindMemory(to: UInt8.self).baseAddress, &consumed, start, &produced)
            }
            count = produced
        }
        if case .failure(let code) = end { throw DecompressionFailure(code) }
        self.output = Data(output)
        self.consumed = consumed
        if case .end = end { isAtEnd = true } else { isAtEnd = false }
    }
}

/// Decodes gzip and deflate by zlib.
final class Inflater: Decompressor {
    private let inflater: OpaquePointer
    private let format: czlib_format

    /// Throws if the system has no zlib, or not enough memory.
    init(_ format: czlib_format) throws(DecompressionFailure) {
        guard let inflater = czlib_inflater_make(format) else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .zlibMissing)
        }
        self.inflater = inflater
        self.format = format
    }

    deinit { czlib_inflater_free(inflater) }

    static var isAvailable: Bool { czlib_is_available() }

    func reset() throws(DecompressionFailure) {
        // A gzip file may have several members (RFC 1952, section 2.2); deflate is one stream.
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

/// Decodes a Brotli stream (RFC 7932).
final class BrotliDecoder: Decompressor {
    private let decoder: OpaquePointer

    /// Throws if the system has no Brotli decoder, or not enough memory.
    init() throws(DecompressionFailure) {
        guard let decoder = cbrotli_decoder_make() else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .brotliMissing)
        }
        self.decoder = decoder
    }

    deinit { cbrotli_decoder_free(decoder) }

    static var isAvailable: Bool { cbrotli_is_available() }

    func reset() throws(DecompressionFailure) {
        // RFC 7932 allows only one stream.
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

/// Decodes Zstandard frames (RFC 8878); a skippable frame has no output.
final class ZstdDecoder: Decompressor {
    /// The largest window that HTTP allows, 8 MiB (RFC 9659, section 3), as a power of two.
    private static let windowLog: Int32 = 23

    private let decoder: OpaquePointer
    private var magic = ZstdMagic()

    /// Throws if the system has no Zstandard decoder, or not enough memory.
    init() throws(DecompressionFailure) {
        guard let decoder = czstd_decoder_make(Self.windowLog) else {
            throw DecompressionFailure(Self.isAvailable ? .outOfMemory : .zstdMissing)
        }
        self.decoder = decoder
    }

    deinit { czstd_decoder_free(decoder) }

    static var isAvailable: Bool { czstd_is_available() }

    func reset() throws(DecompressionFailure) {
        guard czstd_decoder_reset(decoder) else { throw DecompressionFailure(.outOfMemory) }
        magic = ZstdMagic()
    }

    func step(_ input: Data, room: Int) throws(DecompressionFailure) -> DecompressionStep {
        // The magic number gets a step of its own: if a small frame came in one piece, the library wouldn't check its
        // window, and the result would depend on how the body is cut into chunks.
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

/// The first four bytes of a frame, as far as they have arrived.
///
/// They are checked here, because the library may also decode older formats, whose windows it doesn't limit.
struct ZstdMagic {
    /// The magic numbers of frames with data, and of skippable frames.
    ///
    /// The low four bits of a skippable frame's first byte may have any value (RFC 8878, sections 3.1.1 and 3.1.2).
    private static let all: [[ClosedRange<UInt8>]] = [
        [0x28...0x28, 0xB5...0xB5, 0x2F...0x2F, 0xFD...0xFD],
        [0x50...0x5F, 0x2A...0x2A, 0x4D...0x4D, 0x18...0x18],
    ]

    private var bytes: [UInt8] = []

    var missing: Int { 4 - bytes.count }

    var isWhole: Bool { missing == 0 }

    /// Adds missing bytes from the data; false if no frame begins like this.
    mutating func takes(_ data: Data) -> Bool {
        if isWhole { return true }
        bytes += data.prefix(missing)
        return Self.all.contains { magic in zip(magic, bytes).allSatisfy { $0.contains($1) } }
    }
}
