/// The URL of a file whose query holds a signature that is valid for a time.
///
/// Two such URLs name the same file if they differ only in the parameters of the signature. Only known kinds of
/// signature count, and only if the signature itself is there: another service may use a name like "Expires" or "st"
/// for something that decides what comes.
enum SignedURL {
    /// A kind of signature: what must be there, and the parameters that it adds; all in lower case.
    private struct Kind {
        var needs: [String]
        var prefix: String?
        var names: Set<String> = []
    }

    private static let kinds = [
        // Amazon S3: the signature's versions 4 and 2.
        Kind(needs: ["x-amz-signature"], prefix: "x-amz-"),
        Kind(
            needs: ["awsaccesskeyid", "signature"],
            names: ["awsaccesskeyid", "signature", "expires", "x-amz-security-token"]),
        // Google Cloud Storage: the versions 4 and 2.
        Kind(needs: ["x-goog-signature"], prefix: "x-goog-"),
        Kind(
            needs: ["googleaccessid", "signature"],
            names: ["googleaccessid", "signature", "expires"]),
        // Azure Storage: a shared access signature.
        Kind(
            needs: ["sig", "sv"],
            names: [
                "sig", "sv", "se", "st", "sp", "sr", "ss", "srt", "si", "sip", "spr", "skoid",
                "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid", "ses", "sdd",
            ]),
        // Amazon CloudFront.
        Kind(
            needs: ["key-pair-id", "signature"],
            names: ["key-pair-id", "signature", "expires", "policy", "hash-algorithm"]),
    ]

    /// Returns a URL's text without the parameters of its signature; unchanged if it has none.
    static func withoutSignature(_ url: String) -> String {
        guard let start = url.firstIndex(of: "?") else { return url }
        let end = url[start...].firstIndex(of: "#") ?? url.endIndex
        let items = url[url.index(after: start)..<end]
            .split(separator: "&", omittingEmptySubsequences: false)
        let names = items.map { $0.prefix { $0 != "=" }.lowercased() }
        let kind = kinds.first { kind in kind.needs.allSatisfy(names.contains) }
        guard let kind else { return url }
        let rest = zip(names, items).filter { name, _ in
            let isOfKind = kind.prefix.map { name.hasPrefix($0) } ?? false
            return !isOfKind && !kind.names.contains(name)
        }
        return url[..<start] + "?" + rest.map(\.1).joined(separator: "&") + url[end...]
    }
}
