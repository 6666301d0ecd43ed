/// Names that announce a secret.
package enum SensitiveNames {
    /// Where a name stands, because a short name says more in some places than in others.
    enum Place {
        /// The name of a query item or a form field.
        case form
        /// The name of a member in JSON, or of a pair such as `{"name": "password", "value": "…"}`.
        case json
        /// A name before "=" in a text.
        case assignment
        /// A name before ":" in a text.
        case line
    }

    static let stems: Set<String> = [
        "token", "secret", "passw", "pwd", "authorization", "cookie", "session", "apikey",
        "credential", "signature", "csrf", "xsrf", "jwt", "privatekey", "accesskey", "bearer",
        "mnemonic", "seedphrase", "recoveryphrase", "passphrase", "passcode", "verifier",
        "signingkey", "encryptionkey", "masterkey", "accountkey", "sharedkey", "licensekey",
        "authkey", "recoverycode", "backupcode", "onetimecode", "verificationcode",
        "securitycode", "authcode", "cardnumber", "securityanswer", "recoverykey",
    ]

    /// Returns whether a name contains one of the stems, ignoring case and separators.
    package static func contain(_ name: some Collection<UInt8>) -> Bool { hasStem(folded(name)) }

    /// Returns whether the value of a name is a secret.
    ///
    /// - Parameters:
    ///   - name: The name, with its escapes decoded.
    ///   - place: Where it stands.
    ///   - isNumber: True for a number, which may count tokens or seconds.
    static func announce(
        _ name: some Collection<UInt8>, in place: Place, ofNumber isNumber: Bool = false
    ) -> Bool {
        let word = folded(name)
        guard !word.isEmpty else { return false }
        guard hasStem(word) || words(of: place).contains(word) || endsInShortWord(name, place)
        else { return false }
        if harmlessEndings.contains(where: { word.ends(with: $0) }) { return false }
        return !isNumber || !ofCounts.contains { word.contains($0) }
    }

    /// Returns whether a text is a name that announces a secret, rather than a sentence.
    static func isAnnouncing(_ text: ArraySlice<UInt8>) -> Bool {
        text.count <= 64 && text.allSatisfy { $0.isLetterOrDigit || "-_.[]:".utf8.contains($0) }
            && announce(text, in: .json)
    }

    private static func words(of place: Place) -> Set<[UInt8]> {
        switch place {
        case .form: wordsOfForms
        case .json: wordsOfJSON
        case .assignment: wordsOfTexts
        case .line: shortWords
        }
    }

    /// The words that announce secrets; if a secret is one of them, as on test servers, it isn't looked for elsewhere.
    package static let common = stems.union(ofForms).union(ofJSON).union(["password"])

    package static let ofForms: Set<String> = [
        "key", "sig", "auth", "code", "pin", "otp", "pw", "pass", "sid", "assertion",
        "clientassertion", "samlresponse", "samlrequest", "totp", "cvv", "cvc", "ssn",
    ]
    private static let ofJSON: Set<String> = [
        "pin", "otp", "pass", "pw", "sid", "assertion", "clientassertion", "samlresponse", "auth",
        "totp", "cvv", "cvc", "ssn",
    ]
    private static let wordsOfForms = Set(ofForms.map { Array($0.utf8) })
    private static let wordsOfJSON = Set(ofJSON.map { Array($0.utf8) })
    private static let wordsOfTexts = wordsOfForms.subtracting(
        ["key", "auth", "code"].map { Array($0.utf8) })
    /// Words that announce a secret as the last of several words too, as in "smsOtp" and "card_pin".
    private static let shortWords = Set(
        ["pin", "otp", "totp", "cvv", "cvc", "ssn"].map { Array($0.utf8) })
    private static let seed = Array("seed".utf8)
    /// Words that may stand behind a short word.
    private static let wordsBehind = Set(["code", "number", "value"].map { Array($0.utf8) })

    /// Words that contain a stem by chance.
    private static let harmlessWords = ["secretary", "secretari", "tokeniz", "tokenise"].map {
        Array($0.utf8)
    }

    /// Ends of names that describe a secret, such as "token_type" and "cookieName".
    private static let harmlessEndings = [
        "type", "types", "name", "names", "endpoint", "tokenuri", "tokenurl", "count", "limit",
        "expiresat", "expiresin", "expireson", "expires", "expiry", "expiration", "ttl", "maxage",
        "lifetime", "timeout", "algorithm", "algorithms", "alg", "method", "methods", "policy",
        "supported", "length", "format", "required", "enabled", "createdat", "updatedat",
        "changedat", "rotatedat", "issuedat", "usedat", "version", "scope", "scopes", "issuer",
        "samesite", "domain", "path", "status", "banner", "consent", "notice",
    ].map { Array($0.utf8) }
    private static let ofCounts = [
        "tokens", "count", "expir", "timeout", "lifetime", "ttl", "age", "seed",
    ].map { Array($0.utf8) }

    /// The stems by their first letters.
    private static let stemsByLetter: [[[UInt8]]] = {
        var all = [[[UInt8]]](repeating: [], count: 256)
        for stem in stems { all[Int(Array(stem.utf8)[0])].append(Array(stem.utf8)) }
        return all
    }()

    private static func hasStem(_ word: [UInt8]) -> Bool {
        var harmless = 0
        for start in word.indices {
            if "st".utf8.contains(word[start]),
                let other = harmlessWords.first(where: { word[start...].starts(with: $0) })
            {
                harmless = max(harmless, start + other.count)
            }
            if start < harmless { continue }
            for stem in stemsByLetter[Int(word[start])] where word[start...].starts(with: stem) {
                return true
            }
        }
        return false
    }

    /// True if the last word is a short one, as in "smsOtp", "card[cvc]", "cvv2" and "cvc_code".
    private static func endsInShortWord(_ name: some Collection<UInt8>, _ place: Place) -> Bool {
        var rest = Array(name)[...]
        for _ in 0..<2 {
            let last = lastWord(of: rest)
            let word = folded(last.dropLast(last.reversed().prefix(while: \.isDigit).count))
            if shortWords.contains(word) { return true }
            if word == seed, place == .form || place == .json { return true }
            guard wordsBehind.contains(word) || word.isEmpty else { return false }
            rest = rest[..<last.startIndex]
        }
        return false
    }

    /// The last word of a name, as in "user_id", "userID" and "user[id]".
    ///
    /// A separator or a capital letter begins a word.
    package static func lastWord(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = name.lastIndex(where: \.isLetterOrDigit).map { $0 + 1 } ?? name.startIndex
        var start = end
        while start > name.startIndex, name[start - 1].isLetterOrDigit {
            start -= 1
            let before = start > name.startIndex ? name[start - 1] : 32
            if 65...90 ~= name[start], !(65...90 ~= before) { break }
        }
        return name[start..<end]
    }

    package static func folded(_ name: some Collection<UInt8>) -> [UInt8] {
        var word: [UInt8] = []
        word.reserveCapacity(name.count)
        for byte in name where byte.isLetterOrDigit { word.append(byte.lowercased) }
        return word
    }
}

extension SensitiveNames {
    /// The shape by which a value is harmless, although its name announces a secret.
    enum HarmlessShape {
        /// An identifier of Twilio, whose `sid` is no session's: two letters and 32 hexadecimal digits.
        case sid
        /// The identifier of a token; some servers name a token itself so, which is longer.
        case tokenID
        /// The seed of a generator of random numbers.
        case seed
        /// A URL, whose own secrets are looked for.
        case url

        init?(of name: some Collection<UInt8>) {
            let word = folded(name)
            if word == Array("sid".utf8) {
                self = .sid
            } else if word.ends(with: Array("tokenid".utf8)) {
                self = .tokenID
            } else if word.ends(with: SensitiveNames.seed) {
                self = .seed
            } else if ["url", "uri", "link", "href"].contains(where: {
                word.ends(with: Array($0.utf8))
            }) {
                self = .url
            } else {
                return nil
            }
        }

        func fits(_ value: ArraySlice<UInt8>) -> Bool {
            switch self {
            case .sid:
                value.count == 34 && value.prefix(2).allSatisfy { 65...90 ~= $0 }
                    && value.dropFirst(2).allSatisfy(\.isHexDigit)
            case .tokenID: value.count <= 36
            case .seed: value.count <= 20 && value.allSatisfy(\.isDigit)
            case .url:
                value.first == UInt8(ascii: "/") || value.starts(with: "http://".utf8)
                    || value.starts(with: "https:".utf8)
            }
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with end: [UInt8]) -> Bool {
        count >= end.count && suffix(end.count).elementsEqual(end)
    }

    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard count >= part.count else { return false }
        return (0...count - part.count).contains { self[$0...].starts(with: part) }
    }
}
