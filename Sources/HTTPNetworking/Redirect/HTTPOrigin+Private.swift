extension HTTPOrigin {
    /// Whether the host is known to be on this machine or in a private network.
    ///
    /// It is where the host is
    /// - a literal address that is not globally reachable (RFC 6890 and IANA's registries): private,
    ///   loopback, link-local, shared, reserved. IPv4 is read in every form that clients read, such as
    ///   `0x7f.1`, `2130706433` and `0177.0.0.1`, also within IPv6;
    /// - a number or brackets that are not an address, which clients interpret differently;
    /// - `localhost` or a name below it, or one below `local`, `internal` or `home.arpa`.
    ///
    /// Only the resolver knows the address of another name.
    public var isPrivate: Bool {
        if host.hasPrefix("[") {
            return IPAddress(v6: host.dropFirst().dropLast())?.isPrivate ?? true
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let last = labels.last ?? ""
        if let address = IPAddress(v4: name) { return address.isPrivate }
        return ["localhost", "local", "internal"].contains(last)
            || labels.suffix(2) == ["home", "arpa"]
            || IPAddress(v4: last) != nil || last.allSatisfy(\.isNumber)
    }

    /// Whether a peer's address, without brackets, is known to be on this machine or in a private network; true of
    /// what is no address.
    package static func isPrivate(address: String) -> Bool {
        let address = IPAddress(v4: address[...]) ?? IPAddress(v6: address[...])
        return address?.isPrivate ?? true
    }
}

extension HTTPError {
    /// Why a redirect that leads there is not followed.
    package static let privateNetwork = "it leads into a private network"
}
