import Foundation
import PledgeHTTPTransportKit
import Testing

struct PinnedKeyTests {
    @Test func aPinnedKeyTakes32BytesInBase64() {
        let text = Data(0..<32).base64EncodedString()
        #expect(PinnedKey(sha256: text)?.sha256 == text)
    }

    @Test(arguments: [
        "", "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        Data(0..<31).base64EncodedString(), Data(0..<33).base64EncodedString(),
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=;",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    ])
    func aPinnedKeyRefusesAnythingElse(text: String) { #expect(PinnedKey(sha256: text) == nil) }

    @Test func aPinnedKeyComparesTheHashOfAKey() throws {
        // SHA-256 of "abc" (FIPS 180-2, appendix B.1).
        let pin = try #require(PinnedKey(sha256: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="))
        #expect(pin.matches(Array("abc".utf8)))
        #expect(!pin.matches(Array("abd".utf8)))
    }
}
