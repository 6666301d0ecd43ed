import Foundation
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPText
@testable import PledgeObservation

/// Texts in texts, with SECRET where a secret lies.
@Suite struct SecretFinderTests {
    private func shown(_ text: String, as reading: SecretFinder.Reading = .text) -> String {
        let bytes = Array(text.utf8)
        let shown = bytes.replacing(
            SecretFinder.secrets(in: bytes, as: reading), by: "REDACTED", number: { _ in "0" })
        return String(decoding: shown, as: UTF8.self)
    }

    /// Checks that the secrets are replaced, and nothing else.
    private func check(_ text: String, as reading: SecretFinder.Reading = .text) {
        let planted = text.replacing("SECRET", with: "h7unter2Zx")
        #expect(shown(planted, as: reading) == text.replacing("SECRET", with: "REDACTED"))
    }

    @Test(arguments: [
        "variables=%7B%22password%22%3A%22SECRET%22%7D&a=1",
        "payload={\"token\":\"SECRET\",\"x\":1}", "return_to=https://b.example/?token=SECRET",
        "state=%7B%22r%22%3A%22https%3A%2F%2Fb%2F%3Fid_token%3DSECRET%22%7D",
        "b=access_token%3DSECRET%26a%3D1", "user[password]=SECRET&user[name]=bob",
        "fields=%5B%7B%22name%22%3A%22otp%22%2C%22value%22%3A%22SECRET%22%7D%5D",
    ])
    func aSecretIsFoundInTextThatLiesInAFormFieldOrAQueryItem(text: String) {
        check(text, as: .form)
        check("https://a.example/p?\(text)", as: .url)
    }

    /// A text as a value of a form, with "+" for spaces.
    private func plus(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
            .replacing("%20", with: "+")
    }

    @Test(
        "a secret is found where a form or a query writes \"+\" for a space",
        arguments: [
            #"{"a": 1, "token": "SECRET"}"#, #"{"token" : "SECRET"}"#,
            "{\n  \"a\": [1],\n  \"token\": \"SECRET\"\n}",
            #"[{"name": "password", "value": "SECRET"}]"#, #"<input name="token" value="SECRET">"#,
            "Authorization: Bearer SECRET", "password: SECRET",
            "<a> <Password>SECRET</Password></a>",
        ])
    func aSecretIsFoundBehindAPlusSign(text: String) throws {
        let value = plus(text)
        check("payload=\(value)&a=b+c", as: .form)
        check("https://a.example/p?a=1&payload=\(value)", as: .url)
        check("payload=\(value)")
        check(
            String(
                decoding: try JSONEncoder().encode(["body": "a=1&payload=\(value)"]), as: UTF8.self)
        )
        check("payload=\(plus("payload=\(value)"))", as: .form)
    }

    @Test func aPlusSignThatStandsForItselfEndsNoSecret() {
        check("u=https%3A%2F%2Fb%2F%3Ftoken%3DSECRET", as: .form)
        #expect(
            shown("u=https%3A%2F%2Fb%2F%3Ftoken%3Dh7unter2Zx+k9/ab&v=1", as: .form)
                == "u=https%3A%2F%2Fb%2F%3Ftoken%3DREDACTED&v=1")
    }

    @Test(
        "certain names announce a secret in a form, a query and JSON",
        arguments: [
            "card[cvc]", "cvv2", "cvc_code", "security_answer", "securityAnswer", "recovery_key",
            "seed", "seed_phrase", "walletSeed", "otp_code", "card.cvc", "pin_number",
        ])
    func certainNamesAnnounceASecretEverywhere(name: String) {
        check("\(name)=SECRET&a=b", as: .form)
        check("\(name.replacing("[", with: "%5B").replacing("]", with: "%5D"))=SECRET", as: .form)
        check("https://a.example/?a=b&\(name)=SECRET", as: .url)
        check(#"{"\#(name)":"SECRET","a":"b"}"#)
    }

    @Test(
        "values that are harmless by their shape stay, others of the same name don't",
        arguments: [
            (#"{"sid":"AC0123456789abcdef0123456789abcdef"}"#, #"{"sid":"SECRET"}"#),
            (#"{"token_id":"tokid-1a2b3c"}"#, #"{"token_id":"SECRETSECRETSECRETSECRET"}"#),
            (#"{"seed":42}"#, #"{"seed":"SECRET"}"#), ("seed=42", "seed=SECRET"),
            (
                #"{"password_reset_url":"https://a.example/forgot-form?page=2"}"#,
                #"{"password_reset_url":"https://a.example/reset?token=SECRET"}"#
            ),
            (
                #"{"password_reset_url":"/forgot"}"#,
                #"{"password_reset_url":"https:\/\/a.example\/reset\/SECRETab3"}"#
            ),
            (#"{"password_reset_url":""}"#, #"{"password_reset_url":"SECRET"}"#),
        ])
    func valuesThatAreHarmlessByTheirShapeStay(harmless: String, secret: String) {
        let reading = harmless.hasPrefix("{") ? SecretFinder.Reading.text : .form
        #expect(shown(harmless, as: reading) == harmless)
        let planted = secret.replacing("SECRET", with: "h7unter2Zx")
        #expect(!shown(planted, as: reading).contains("h7unter2Zx"))
        #expect(shown(planted, as: reading).contains("REDACTED"))
    }

    @Test(
        "a secret is found in a URL, a list or JSON in a header, a string or a text",
        arguments: [
            "/a?token=SECRET", "https://a.example/?api_key=SECRET&b=1", "token=SECRET",
            "a=1; auth_token=SECRET; lang=en", "{\"a\":{\"pwd\":\"SECRET\"}}",
            "https%3A%2F%2Fx%2F%3Ftoken%3DSECRET", "Server=db;Password=SECRET;Encrypt=true",
            "https://a.example/r/https%3A%2F%2Fb%2F%3Ftoken%3DSECRET", "said: Bearer SECRET.",
            "body={\\\"password\\\":\\\"SECRET\\\"} ok", "f({\"token\":\"SECRET\"});",
            ")]}',\n{\"session\":{\"id\":\"SECRET\"}}", "data: {\"a\":1,\n \"pin\":\"SECRET\"}\n",
            "see eyJhbGci.SECRET.c2ln, or a", "DB_PASSWORD=SECRET\nPORT=80\n",
            "-----BEGIN EC PRIVATE KEY-----SECRET-----END EC PRIVATE KEY-----",
            "<div data-a=\"{&quot;token&quot;:&quot;SECRET&quot;}\"></div>",
        ])
    func aSecretIsFoundInTexts(text: String) {
        // A token of the shape of the test's.
        let shown = text.replacing("eyJhbGci.SECRET.c2ln", with: "REDACTED")
        let planted = text.replacing("SECRET", with: "h7unter2Zx")
        let expected = shown.replacing("SECRET", with: "REDACTED")
        #expect(self.shown(planted) == expected)
        let string = String(decoding: try! JSONEncoder().encode([planted]), as: UTF8.self)
        let expectedString = String(decoding: try! JSONEncoder().encode([expected]), as: UTF8.self)
        #expect(self.shown(string) == expectedString)
    }

    @Test(
        "a member, an attribute or an element may name the value beside it",
        arguments: [
            #"[{"name":"password","value":"SECRET"},{"name":"page","value":"2"}]"#,
            #"{"value":"SECRET","key":"api_key"}"#, #"{"key":"otp","value":{"a":["SECRET"]}}"#,
            #"{"value":{"a":"SECRET"},"name":"otp","b":"c"}"#,
            #"{"headers":[["Authorization","SECRET"],["Accept","text/html"]]}"#,
            #"{"cookies":[{"name":"sid","value":"SECRET"}]}"#,
            #"<input type="hidden" name="csrf_token" value="SECRET">"#,
            #"<input value="SECRET" name='authenticity_token' type=hidden>"#,
            #"<input type=hidden name=csrf value=SECRET>"#,
            #"<meta name="csrf-token" content="SECRET">"#,
            #"<add key="ClientSecret" value="SECRET"/>"#,
            #"<property name="db.password">SECRET</property><property name="a">b</property>"#,
            #"<var><name>api_secret</name><value>SECRET</value></var>"#,
            #"<key>apiToken</key><string>SECRET</string><key>a</key><string>b</string>"#,
        ])
    func aPairMayNameTheValueBesideIt(text: String) { check(text) }

    @Test(arguments: [
        "bearer", "mnemonic", "verifier", "code_verifier", "passphrase", "smsOtp", "card_pin",
        "seed_phrase", "SecretAccessKey", "accountKey", "X-Api-Key", "ssn", "cvv",
    ])
    func certainNamesOfMembersAnnounceASecret(name: String) {
        check(#"{"\#(name)":"SECRET","a":"b"}"#)
    }

    @Test(arguments: [
        "hash", "nonce", "id", "user_id", "etag", "checksum", "sha256", "cookieName",
        "csrf_header_name", "token_type", "token_endpoint", "password_policy", "secretName",
        "session_timeout", "signature_algorithm", "expires_in", "author", "authority",
        "keyboard", "pinned", "passenger", "compass", "code", "state", "key", "publicKey",
        "description", "url", "username", "design", "spinner", "password_changed_at", "scope",
        "grant_type", "uuid", "trace_id", "version", "issuer", "secretary", "secretaries",
        "tokenizer",
        "cookie_banner", "cookieConsent", "token_id", "pinCount", "spin_code", "seedling",
    ])
    func valuesWithHarmlessNamesStay(name: String) {
        let text = #"{"\#(name)":"h7unter2Zx","a":["x","y"],"n":{"name":"page","value":"2"}}"#
        #expect(shown(text) == text)
    }

    @Test(arguments: [
        #"<input type="hidden" name="page" value="2"><label for="password">Password</label>"#,
        "note: see https://a.example/?page=3&sort=name#top", "[info] a: b, c = d",
        "Use a Bearer token for this; the password must be long",
        #"{"grants":["password","refresh_token"],"a":[["x","y"]]}"#, "a%20b", "{", "[", "\"",
    ])
    func harmlessTextsStay(text: String) { #expect(shown(text) == text) }

    @Test("texts in texts are read to a depth, and deeper ones never trap")
    func textsInTextsAreReadToADepth() {
        var text = #"{"password":"h7unter2Zx"}"#
        for level in 1...20 {
            text = String(decoding: try! JSONEncoder().encode(["a": text]), as: UTF8.self)
            // The text itself, and the texts that lie in it.
            #expect(shown(text).contains("h7unter2Zx") == (level > SecretFinder.depth), "\(level)")
            if level > 10 { break }
        }
    }

    /// If each sign read on to the end of the text, this would take hours.
    @Test(
        "texts made to be slow, deep or broken take linear time, and don't trap",
        arguments: [
            "[", "{\"a\":", "[\"", "x{\"", "[&quot;", "{\\\"", "%5B%22", "mnemonic: a ", "token=",
            "eyJhbGci.", "a://b@", "&a=%7B%22", "<token>", "<input name=token value=",
            "-----BEGIN ",
            "{\"value\":{\"value\":1,\"name\":\"otp\"},", "{\"name\":\"otp\",\"value\":",
            "[[\"otp\",",
            "a=%2B+%252B&", "a=+%25", "%7B%22a%22%3A+", "{\"a\":\"\\\"", "<key>otp</key><string>",
            "\u{0}", "é", "\\u0022",
        ])
    func hostileTextsTakeLinearTime(unit: String) {
        let text = String(repeating: unit, count: 30_000 / unit.utf8.count)
        #expect(!shown(text).isEmpty)
        #expect(!shown(text, as: .form).isEmpty)
    }
}
