import HTTPNetworking

/// The four bytes with which a frame begins, as far as they have come.
///
/// They are looked at here since a library may read older formats as well, whose decoders know no bound
/// of the window.
struct ZstdMagic {
    /// Of frames with data, and of those to be skipped, whose first byte ends in any four bits
    /// (RFC 8878, sections 3.1.1 and 3.1.2).
    private static let all: [[ClosedRange<UInt8>]] = [
        [0x28...0x28, 0xB5...0xB5, 0x2F...0x2F, 0xFD...0xFD],
        [0x50...0x5F, 0x2A...0x2A, 0x4D...0x4D, 0x18...0x18],
    ]

    private var bytes: [UInt8] = []

    /// How many bytes have not come.
    var missing: Int { 4 - bytes.count }

    /// Whether all have come.
    var isWhole: Bool { missing == 0 }

    /// Takes those that are missing of the frame's next bytes.
    ///
    /// - Returns: Whether a frame may begin so.
    mutating func takes(_ data: Data) -> Bool {
        if isWhole { return true }
        bytes += data.prefix(missing)
        return Self.all.contains { magic in zip(magic, bytes).allSatisfy { $0.contains($1) } }
    }
}
