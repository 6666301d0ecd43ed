import PledgeHTTPMessages
import PledgeHTTPText

/// A nonce to use, with the number of its uses.
struct DigestGrant: Sendable {
    /// The nonces in a session's hash.
    ///
    /// They stay when the server announces another nonce.
    struct Session: Equatable {
        let nonce: String
        let clientNonce: String
    }

    let challenge: DigestChallenge
    /// Identifies the nonce within its origin.
    let number: Int
    /// How often the nonce has been sent, including this time.
    let count: UInt32
    /// Nil if the algorithm has no sessions.
    let session: Session?

    /// Returns the value of Authorization (RFC 7616, section 3.4), one character per byte.
    ///
    /// - Parameters:
    ///   - target: The path and query, as they are sent.
    ///   - body: The whole body, needed if the challenge protects it.
    ///   - clientNonce: A random text, used if the algorithm has no sessions.
    func authorization(
        of login: DigestLogin, _ method: HTTPMethod, _ target: String, body: Data,
        clientNonce: String
    ) -> String {
        let clientNonce = session?.clientNonce ?? clientNonce
        let count = String(count, radix: 16)
        let uses = String(repeating: "0", count: 8 - count.utf8.count) + count
        var fields = login.fields(for: challenge)
        fields += [
            ("realm", challenge.realm.asQuotedString), ("nonce", challenge.nonce.asQuotedString),
            ("uri", target.asQuotedString),
        ]
        if let name = challenge.algorithm.name { fields.append(("algorithm", name)) }
        fields.append(
            ("response", response(login, method, target, body, uses, clientNonce).asQuotedString))
        if let opaque = challenge.opaque { fields.append(("opaque", opaque.asQuotedString)) }
        if let qop {
            fields += [("qop", qop), ("nc", uses), ("cnonce", clientNonce.asQuotedString)]
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

struct DigestLogin: Sendable {
    let user: String
    let password: String

    /// The fields that contain the user's name.
    fileprivate func fields(for challenge: DigestChallenge) -> [(String, String)] {
        if challenge.hashesUser {
            let hash = challenge.algorithm.hash(ofLatin1: "\(user.byteText):\(challenge.realm)")
            return [("username", hash.asQuotedString), ("userhash", "true")]
        }
        if user.utf8.allSatisfy({ $0 < 0x80 }) { return [("username", user.asQuotedString)] }
        // Text beyond ASCII is percent-encoded and not quoted (RFC 8187).
        return [("username*", "UTF-8''\(PercentEncoding.word.encode(user))")]
    }
}

extension String {
    /// The text's UTF-8, one character per byte.
    fileprivate var byteText: String { HTTPHeaders.text(ofLatin1: utf8) }
}

extension DigestLogin: CustomStringConvertible, CustomReflectable {
    /// A constant text, so that no log shows the password.
    var description: String { "a login" }

    /// Empty, so that no dump shows the password.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
