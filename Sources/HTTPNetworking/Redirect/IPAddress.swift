/// An IP address in a URL instead of a host's name.
enum IPAddress: Equatable {
    case v4(UInt32)
    /// Eight groups of 16 bits.
    case v6([UInt16])

    /// Whether it is not globally reachable by the registries of IANA (RFC 6890): private, loopback,
    /// link-local, shared, reserved, multicast, for documentation and benchmarks.
    ///
    /// An IPv6 address that holds an IPv4 address (mapped, NAT64, 6to4) is classified by that address.
    var isPrivate: Bool {
        switch self {
        case .v4(let bits):
            return Self.privateBlocks.contains { bits >> (32 - $1) == $0 >> (32 - $1) }
        case .v6(let groups):
            let isMapped = groups[..<6] == [0, 0, 0, 0, 0, 0xFFFF]
            if isMapped || groups[..<6] == [0x64, 0xFF9B, 0, 0, 0, 0] {
                return Self.v4(groups[6], groups[7]).isPrivate
            }
            switch (groups[0], groups[1]) {
            case (0x2002, _): return Self.v4(groups[1], groups[2]).isPrivate
            case (0x2001, ..<0x200), (0x2001, 0xDB8), (0x3FFF, ..<0x1000): return true
            // All else that is global unicast begins with 001.
            case (let first, _): return first >> 13 != 1
            }
        }
    }

    /// The first addresses of blocks, and how many bits of them count.
    private static let privateBlocks: [(UInt32, UInt32)] = [
        (0, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24),
        (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24),
        (0xE000_0000, 3),
    ]

    private static func v4(_ high: UInt16, _ low: UInt16) -> IPAddress {
        .v4(UInt32(high) << 16 | UInt32(low))
    }
}

// MARK: - Reading

extension IPAddress {
    /// Reads an IPv4 address in each form that clients read: up to four numbers, decimal, octal after a "0"
    /// and hexadecimal after "0x", the last of which fills what is left (WHATWG's URL standard, section 3.5).
    ///
    /// - Returns: Nil if one of the numbers is invalid or too large.
    init?(v4 text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == parts.count, parts.count <= 4, let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 < 256 }),
            last < 1 << UInt64(8 * (5 - parts.count))
        else { return nil }
        self = .v4(
            numbers.dropLast().enumerated().reduce(UInt32(last)) { bits, part in
                bits | UInt32(part.element) << UInt32(24 - 8 * part.offset)
            })
    }

    /// Reads an IPv6 address without brackets (RFC 4291, section 2.2); a zone after "%" is ignored.
    init?(v6 text: Substring) {
        let text = String(text.prefix { $0 != "%" })
        if let gap = text.firstRange(of: "::") {
            guard let head = Self.groups(text[..<gap.lowerBound]),
                let tail = Self.groups(text[gap.upperBound...]), head.count + tail.count < 8
            else { return nil }
            let zeros = [UInt16](repeating: 0, count: 8 - head.count - tail.count)
            self = .v6(head + zeros + tail)
        } else {
            guard let groups = Self.groups(text[...]), groups.count == 8 else { return nil }
            self = .v6(groups)
        }
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            if part.endIndex == text.endIndex, case .v4(let bits) = IPAddress(v4: part),
                part.contains(".")
            {
                groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
            } else {
                guard part.utf8.count <= 4, part.first?.isHexDigit == true,
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func number(_ text: Substring) -> UInt64? {
        let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
        if isHex, text.utf8.count == 2 { return 0 }
        let digits = text.dropFirst(isHex ? 2 : 0)
        guard digits.first?.isHexDigit == true else { return nil }
        return UInt64(digits, radix: isHex ? 16 : digits.first == "0" ? 8 : 10)
    }
}
