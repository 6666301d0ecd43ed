/// The hosts whose requests use no proxy, with curl's rules (`NO_PROXY`).
package struct ProxyBypass {
    private let entries: [String]

    /// Takes a list: names, which include their subdomains, addresses, blocks of addresses such as
    /// "10.0.0.0/8", and "*" for every host.
    package init(_ entries: [String]) {
        self.entries = entries.compactMap { entry in
            var entry = entry.lowercased()
            if entry.hasSuffix(".") { entry.removeLast() }
            if entry.hasPrefix(".") { entry.removeFirst() }
            if entry.hasPrefix("["), entry.hasSuffix("]") {
                entry = String(entry.dropFirst().dropLast())
            }
            return entry.isEmpty ? nil : entry
        }
    }

    /// Takes the text of a variable, with commas or spaces between the entries.
    package init(text: String) {
        self.init(text.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init))
    }

    /// Whether there is no such host.
    package var isEmpty: Bool { entries.isEmpty }

    /// Whether requests to a host use no proxy.
    ///
    /// - Parameter host: The host as ``HTTPOrigin/host`` has it.
    package func covers(_ host: String) -> Bool {
        if entries.isEmpty { return false }
        if entries == ["*"] { return true }
        var host = host[...]
        if host.hasSuffix(".") { host.removeLast() }
        let address = IPAddress(literal: host)
        return entries.contains { entry in
            address.map { $0.isIn(block: entry[...]) }
                ?? (host == entry || host.hasSuffix(".\(entry)"))
        }
    }
}

extension IPAddress {
    /// Reads an address in a URL: four decimal numbers, or eight groups in brackets.
    fileprivate init?(literal text: Substring) {
        if text.hasPrefix("["), text.hasSuffix("]") {
            self.init(v6: text.dropFirst().dropLast())
        } else {
            guard text.split(separator: ".", omittingEmptySubsequences: false).count == 4 else {
                return nil
            }
            self.init(v4: text)
        }
    }

    /// The bits in order.
    private var bytes: [UInt8] {
        switch self {
        case .v4(let bits): bits.bigEndianBytes
        case .v6(let groups): groups.flatMap(\.bigEndianBytes)
        }
    }

    /// Whether this is an address, or in a block of them such as "10.0.0.0/8".
    fileprivate func isIn(block text: Substring) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first,
            let start = IPAddress(v6: first) ?? IPAddress(literal: first),
            start.bytes.count == bytes.count
        else { return false }
        guard parts.count == 2 else { return self == start }
        guard let length = Int(parts[1]), (1...8 * bytes.count).contains(length) else {
            return false
        }
        return zip(bytes, start.bytes).enumerated().allSatisfy { index, pair in
            let count = min(8, max(0, length - 8 * index))
            return (pair.0 ^ pair.1) >> (8 - count) == 0
        }
    }
}

extension ProxyBypass: Hashable {}

extension ProxyBypass: Sendable {}
