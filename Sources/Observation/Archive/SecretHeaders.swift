import PledgeHTTPMessages
import PledgeHTTPText

/// The names of headers whose values are secrets.
enum SecretHeaders {
    /// Headers with a secret's name that hold none.
    private static let harmless: Set<String> = ["www-authenticate", "proxy-authenticate"]

    /// True if the last word says that the value names something: a trace, an account, a server.
    static func isIdentifier(_ name: String) -> Bool {
        let last = name.split { "-_".contains($0) }.last ?? ""
        return ["id", "account", "by", "ray"].contains(last)
    }

    /// Returns whether a header's value is a secret; the name is in lower case.
    static func contain(_ name: String) -> Bool {
        if name == "idempotency-key" { return false }
        if HTTPHeaders.isHarmless(name) { return !HTTPHeaders.isShown(name) }
        if harmless.contains(name) || name.hasPrefix("access-control-") { return false }
        return ["auth", "key", "sign"].contains { name.contains($0) }
            || SensitiveNames.contain(name.utf8)
            // A code may be one of an error or a country.
            || name.split { "-_".contains($0) }
                .contains { $0 != "code" && SensitiveNames.ofForms.contains(String($0)) }
    }
}
