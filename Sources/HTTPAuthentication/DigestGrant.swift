import PledgeHTTPNetworking

/// A challenge, with the number of the use of its nonce.
struct DigestGrant: Sendable {
    /// The input of a session's hash, which does not change with the nonce.
    struct Session: Equatable {
        let nonce: String
        let clientNonce: String
    }

    let challenge: DigestChallenge
    /// The number of the nonce within its origin.
    let number: Int
    /// How often the nonce was sent, this time included.
    let count: UInt32
    /// The input of the session's hash; nil if the algorithm has none.
    let session: Session?

    /// The value of the header Authorization (RFC 7616, section 3.4), a character for each byte.
    ///
    /// - Parameters:
    ///   - target: Path and query, as they are sent.
    ///   - body: The whole body; needed if the challenge protects it.
    ///   - clientNonce: A random text, for algorithms without a session.
    func authorization(
        of login: DigestLogin, _ method: HTTPMethod, _ target: String, body: Data,
        clientNonce: String
    ) -> String {
        let clientNonce = session?.clientNonce ?? clientNonce
        let count = String(count, radix: 16)
        let uses = String(repeating: "0", count: 8 - count.utf8.count) + count
        var fields = login.fields(for: challenge)
        fields += [
            ("realm", quoted(challenge.realm)), ("nonce", quoted(challenge.nonce)),
            ("uri", quoted(target)),
        ]
        if let name = challenge.algorithm.name { fields.append(("algorithm", name)) }
        fields.append(
            ("response", quoted(response(login, method, target, body, uses, clientNonce))))
        if let opaque = challenge.opaque { fields.append(("opaque", quoted(opaque))) }
        if let qop {
            fields += [("qop", qop), ("nc", uses), ("cnonce", quoted(clientNonce))]
        }
        return "Digest " + fields.map { "\($0.0)=\($0.1)" }.joined(separator: ", ")
    }

    private func response(
        _ login: DigestLogin, _ method: HTTPMethod, _ target: String, _ body: Data, _ uses: String,
        _ clientNonce: String
    ) -> String {
        let hash = challenge.algorithm.hash
        let (user, password) = (login.user.byteText, login.password.byteText)
        var secret = hash(ofLatin1: "\(user):\(challenge.realm):\(password)")
        if let session {
            secret = hash(ofLatin1: "\(secret):\(session.nonce):\(session.clientNonce)")
        }
        var line = "\(method.rawValue):\(target)"
        if challenge.protection == .authInt { line += ":\(hash(Array(body)))" }
        let middle = qop.map { "\(uses):\(clientNonce):\($0):" } ?? ""
        return hash(ofLatin1: "\(secret):\(challenge.nonce):\(middle)\(hash(line))")
    }

    private var qop: String? {
        switch challenge.protection {
        case .none: nil
        case .auth: "auth"
        case .authInt: "auth-int"
        }
    }
}

/// A name and a password that are sent as digests.
struct DigestLogin: Sendable {
    let user: String
    let password: String

    /// The fields that contain the user's name.
    fileprivate func fields(for challenge: DigestChallenge) -> [(String, String)] {
        if challenge.hashesUser {
            let hash = challenge.algorithm.hash(ofLatin1: "\(user.byteText):\(challenge.realm)")
            return [("username", quoted(hash)), ("userhash", "true")]
        }
        if user.utf8.allSatisfy({ $0 < 0x80 }) { return [("username", quoted(user))] }
        // RFC 8187: text beyond ASCII is percent-encoded, and not quoted.
        let encoded = user.utf8.map { byte in
            if byte.isLetterOrDigit { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
        return [("username*", "UTF-8''\(encoded.joined())")]
    }
}

extension String {
    /// The text's UTF-8, a character for each byte.
    fileprivate var byteText: String { HTTPHeaders.text(ofLatin1: utf8) }
}

/// A quoted string (RFC 9110, section 5.6.4).
private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            bytes.append(UInt8(ascii: "\\"))
        }
        bytes.append(byte)
    }
    return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
}

extension DigestLogin: CustomStringConvertible, CustomReflectable {
    /// A constant text, without the content.
    var description: String { "a login" }

    /// A mirror that shows nothing.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
