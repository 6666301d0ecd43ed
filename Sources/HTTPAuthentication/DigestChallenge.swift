import PledgeHTTPMessages

/// A server's Digest challenge (RFC 7616, section 3.3).
struct DigestChallenge: Equatable, Sendable {
    /// What the digest protects besides the request line.
    enum Protection {
        /// Nothing; then the uses of a nonce aren't counted either (RFC 2069).
        case none
        case auth
        case authInt
    }

    // In realm, nonce and opaque, each character stands for one byte.
    let realm: String
    /// The server's random text for this challenge.
    var nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    let protection: Protection
    /// True if the server refused only the nonce, and not the password.
    let isStale: Bool
    let hashesUser: Bool
    /// The URLs of the protection space, as the server wrote them; nil for the whole server.
    let domain: [String]?

    /// Returns nil if the challenge has another scheme, is malformed or unsupported, or has a realm or nonce that a
    /// header can't hold.
    init?(_ challenge: AuthenticationChallenge) {
        let fields = challenge.parameters
        guard challenge.scheme == "digest", !challenge.isMalformed,
            let realm = challenge.returnable("realm"),
            let nonce = challenge.returnable("nonce"),
            let algorithm = DigestAlgorithm(fields["algorithm"]),
            let protection = Protection(fields["qop"])
        else { return nil }
        // A `-sess` algorithm needs the client's nonce, which isn't sent without qop (RFC 2617, section 3.2.2).
        if algorithm.isSession, protection == .none { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        self.protection = protection
        opaque = challenge.returnable("opaque")
        isStale = fields["stale"]?.lowercased() == "true"
        hashesUser = fields["userhash"]?.lowercased() == "true"
        let urls = fields["domain"]?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
        domain = urls.isEmpty ? nil : urls
    }

    /// Returns the challenge with the strongest hash; the first of several, because that's the server's preference.
    static func strongest(in headers: HTTPHeaders) -> DigestChallenge? {
        AuthenticationChallenge.all(in: headers).compactMap(DigestChallenge.init)
            .reduce(nil as DigestChallenge?) {
                guard let best = $0, best.algorithm.hash >= $1.algorithm.hash else { return $1 }
                return best
            }
    }
}

extension DigestChallenge.Protection {
    fileprivate init?(_ qop: String?) {
        guard let qop else {
            self = .none
            return
        }
        let words = qop.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        if words.contains("auth") {
            self = .auth
        } else if words.contains("auth-int") {
            self = .authInt
        } else {
            return nil
        }
    }
}
