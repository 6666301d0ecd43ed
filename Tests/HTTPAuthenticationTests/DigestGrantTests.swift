import Foundation
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPAuthentication

/// The examples of the RFCs; if they have none, the results of Python's hashlib.
@Suite struct DigestGrantTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let mufasa = DigestLogin(user: "Mufasa", password: "Circle of Life")

    private func authorization(
        _ challenge: String, _ login: DigestLogin = mufasa, _ method: HTTPMethod = .get,
        _ target: String = "/dir/index.html", body: String = "", count: UInt32 = 1,
        session: DigestGrant.Session? = nil, clientNonce: String = clientNonce
    ) throws -> String {
        let headers: HTTPHeaders = ["WWW-Authenticate": challenge]
        let challenge = try #require(DigestChallenge.strongest(in: headers))
        return DigestGrant(challenge: challenge, number: 1, count: count, session: session)
            .authorization(
                of: login, method, target, body: Data(body.utf8), clientNonce: clientNonce)
    }

    private func example(_ algorithm: String, qop: String = "auth, auth-int") -> String {
        """
        Digest realm="http-auth@example.org", qop="\(qop)", algorithm=\(algorithm), \
        nonce="\(Self.nonce)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """
    }

    /// RFC 7616, section 3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func theStandardsExampleOfTwoHashesIsAnswered(_ algorithm: String, _ response: String) throws {
        #expect(
            try authorization(example(algorithm)) == """
                Digest username="Mufasa", realm="http-auth@example.org", nonce="\(Self.nonce)", \
                uri="/dir/index.html", algorithm=\(algorithm), response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, nc=00000001, \
                cnonce="\(Self.clientNonce)"
                """)
    }

    /// RFC 7616, section 3.9.2, with the name's hash and the response of its erratum 4897, since those of the
    /// RFC are not computed with SHA-512/256.
    @Test func theStandardsExampleOfAHashedNameIsAnswered() throws {
        let challenge = """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8
            """
        let rest = """
            , realm="api@example.org", nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
            uri="/doe.json", algorithm=SHA-512-256, \
            response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5", \
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", qop=auth, nc=00000001, \
            cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
            """
        let doe = DigestLogin(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?")
        func digest(_ challenge: String) throws -> String {
            try authorization(
                challenge, doe, .get, "/doe.json",
                clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v")
        }
        let hash = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        #expect(
            try digest(challenge + ", userhash=true")
                == #"Digest username="\#(hash)", userhash=true"# + rest)
        #expect(try digest(challenge) == "Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe" + rest)
    }

    /// RFC 2617, section 3.5, and RFC 2069 with erratum 749.
    @Test func theStandardsExamplesOfTheOlderFormsAreAnswered() throws {
        let challenge = """
            Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        let later = try authorization(
            challenge + #", qop="auth,auth-int""#,
            DigestLogin(user: "Mufasa", password: "Circle Of Life"), clientNonce: "0a4f113b")
        #expect(later.contains(#"response="6629fae49393a05397450978507c4ef1""#))
        let oldest = try authorization(
            challenge, DigestLogin(user: "Mufasa", password: "CircleOfLife"))
        #expect(
            oldest == """
                Digest username="Mufasa", realm="testrealm@host.com", \
                nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", \
                response="1949323746fe6a43ef61f9606e7febea", \
                opaque="5ccc069c403ebaf9f0171e9517f40e41"
                """)
    }

    @Test func aSessionHasOneHash() throws {
        let session = DigestGrant.Session(nonce: Self.nonce, clientNonce: Self.clientNonce)
        let digest = try authorization(
            example("SHA-256-sess"), session: session, clientNonce: "another")
        let response = "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"
        #expect(digest.contains(#"response="\#(response)""#))
        #expect(digest.contains(#"cnonce="\#(Self.clientNonce)""#))
    }

    @Test func aBodyIsProtectedWhereNothingElseIsOffered() throws {
        let digest = try authorization(
            example("MD5", qop: "auth-int"), Self.mufasa, .post, body: "a=1")
        #expect(digest.contains(#"response="fce5b8ce602d522db81fbab19a1ce91a""#))
        #expect(digest.contains("qop=auth-int"))
    }

    @Test func theQuotedPartsOfADigestAreEscaped() throws {
        let login = DigestLogin(user: #"a"b\c"#, password: "p")
        let digest = try authorization(
            #"Digest realm="\"r\\", nonce="n", opaque="\"", algorithm="MD5""#, login)
        #expect(digest.hasPrefix(#"Digest username="a\"b\\c", realm="\"r\\", nonce="n""#))
        #expect(digest.hasSuffix(#"opaque="\"""#))
    }

    @Test func usesAreCountedInEightDigits() throws {
        #expect(try authorization(example("MD5"), count: 0xABC).contains("nc=00000abc"))
        #expect(try authorization(example("MD5"), count: .max).contains("nc=ffffffff"))
    }
}

/// The vectors of RFC 1321 and of NIST, and all lengths up to several blocks, with the results of Python's
/// hashlib.
@Suite struct HashTests {
    private func check(_ name: String, _ text: String, is expected: String) {
        #expect(
            DigestAlgorithm(name)?.hash(text) == expected, "\(name) of \(text.utf8.count) bytes")
    }

    @Test func theHashesOfKnownTextsAreRight() {
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
    func textsOfEveryLengthArePaddedForTheirHash(_ name: String, _ expected: String) throws {
        let hash = try #require(DigestAlgorithm(name)?.hash)
        let all = (0..<300).map { hash(String(repeating: "a", count: $0)) }
        #expect(hash(all.joined()) == expected)
    }

    @Test func certainNamesOfHashesAreKnown() {
        #expect(DigestAlgorithm(nil)?.hash == .md5)
        #expect(DigestAlgorithm("sha-256-SESS")?.isSession == true)
        #expect(DigestAlgorithm("SHA-256")?.isSession == false)
        for name in ["SHA-1", "", "-sess", "token", "MD5-sess-sess"] {
            #expect(DigestAlgorithm(name) == nil)
        }
    }
}
