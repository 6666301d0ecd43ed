import PledgeHTTPNetworking

/// The four bytes at the beginning of a frame, as far as they have arrived.
///
/// They are checked here because a library may also decode older formats, whose decoders have no limit of the
/// window.
struct ZstdMagic {
    /// The numbers of frames with data and of skippable frames, whose first byte ends in any four bits
    /// (RFC 8878, sections 3.1.1 and 3.1.2).
    private static let all: [[ClosedRange<UInt8>]] = [
        [0x28...0x28, 0xB5...0xB5, 0x2F...0x2F, 0xFD...0xFD],
        [0x50...0x5F, 0x2A...0x2A, 0x4D...0x4D, 0x18...0x18],
    ]

    private var bytes: [UInt8] = []

    /// How many bytes are missing.
    var missing: Int { 4 - bytes.count }

    /// Whether all have arrived.
    var isWhole: Bool { missing == 0 }

    /// Takes the missing ones from the frame's next bytes.
    ///
    /// - Returns: Whether the bytes may be the beginning of a frame.
    mutating func takes(_ data: Data) -> Bool {
        if isWhole { return true }
        bytes += data.prefix(missing)
        return Self.all.contains { magic in zip(magic, bytes).allSatisfy { $0.contains($1) } }
    }
}
