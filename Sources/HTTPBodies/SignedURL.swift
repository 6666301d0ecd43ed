/// A URL whose query has a signature that expires.
///
/// Two URLs that differ only in such parameters name the same file. Only the listed kinds of signature count, and only
/// if the signature itself is there: elsewhere, a name like "Expires" or "st" may say what to send.
enum SignedURL {
    /// The parameters that identify one kind of signature, and the further ones it adds; in lower case.
    private struct Kind {
        var needs: [String]
        var prefix: String?
        var names: Set<String> = []
    }

    private static let kinds = [
        // Amazon S3, versions 4 and 2.
        Kind(needs: ["x-amz-signature"], prefix: "x-amz-"),
        Kind(
            needs: ["awsaccesskeyid", "signature"],
            names: ["awsaccesskeyid", "signature", "expires", "x-amz-security-token"]),
        // Google Cloud Storage, versions 4 and 2.
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

    /// The URL without its signature's parameters; unchanged if it has none.
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
