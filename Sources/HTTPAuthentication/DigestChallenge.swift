import PledgeHTTPNetworking

/// The Digest challenge of a server (RFC 7616, section 3.3).
struct DigestChallenge: Equatable, Sendable {
    /// The protected parts besides the request line.
    enum Protection {
        /// Nothing, and a nonce's uses are not counted (RFC 2069).
        case none
        case auth
        /// The body.
        case authInt
    }

    // A character of these three stands for a byte.
    let realm: String
    /// The server's number for this challenge.
    var nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    let protection: Protection
    /// Whether only the nonce was refused, and not the password.
    let isStale: Bool
    /// Whether the user's name is sent as a hash.
    let hashesUser: Bool
    /// The URLs of its protection space, unchanged; nil for the whole server.
    let domain: [String]?

    /// Makes one, or returns nil if the challenge has another scheme, is malformed, or is not supported, or if
    /// no request may hold its realm or its nonce.
    init?(_ challenge: AuthenticationChallenge) {
        let fields = challenge.parameters
        guard challenge.scheme == "digest", !challenge.isMalformed,
            let realm = challenge.returnable("realm"),
            let nonce = challenge.returnable("nonce"),
            let algorithm = DigestAlgorithm(fields["algorithm"]),
            let protection = Protection(fields["qop"])
        else { return nil }
        // It needs the client's nonce, which is not sent without qop (RFC 2617, section 3.2.2).
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

    /// The challenge with the strongest hash; of equal ones the first, which the server prefers.
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
