import Testing

@testable import PledgeHTTPAuthentication

/// The vectors of RFC 1321 and of NIST, and all lengths up to several blocks, with the results of Python's
/// hashlib.
@Suite struct HashTests {
    private func check(_ name: String, _ text: String, is expected: String) {
        #expect(
            DigestAlgorithm(name)?.hash(text) == expected, "\(name) of \(text.utf8.count) bytes")
    }

    @Test func knownVectors() {
        check("MD5", "", is: "d41d8cd98f00b204e9800998ecf8427e")
        check("MD5", "abc", is: "900150983cd24fb0d6963f7d28e17f72")
        check(
            "SHA-256", "", is: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        check(
            "SHA-256", "abc",
            is: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        check(
            "SHA-512-256", "",
            is: "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a")
        check(
            "SHA-512-256", "abc",
            is: "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    }

    @Test(arguments: [
        ("MD5", "334f515074b978951ed9966745e04656"),
        ("SHA-256", "dd21bb91165542678c760dec417a174580c2006e5105a25e373c77dd466cdf00"),
        ("SHA-512-256", "7380bfc4a7334fb2572fce472dfcd8d6c4311e03e645f6aa23587cbff95fb03a"),
    ])
    func everyLengthIsPadded(_ name: String, _ expected: String) throws {
        let hash = try #require(DigestAlgorithm(name)?.hash)
        let all = (0..<300).map { hash(String(repeating: "a", count: $0)) }
        #expect(hash(all.joined()) == expected)
    }

    @Test func whichNamesAreKnown() {
        #expect(DigestAlgorithm(nil)?.hash == .md5)
        #expect(DigestAlgorithm("sha-256-SESS")?.isSession == true)
        #expect(DigestAlgorithm("SHA-256")?.isSession == false)
        for name in ["SHA-1", "", "-sess", "token", "MD5-sess-sess"] {
            #expect(DigestAlgorithm(name) == nil)
        }
    }
}
