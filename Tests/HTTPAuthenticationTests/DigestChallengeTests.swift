import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct DigestChallengeTests {
    private func strongest(_ values: String...) -> DigestChallenge? {
        DigestChallenge.strongest(in: HTTPHeaders(values.map { ("WWW-Authenticate", $0) }))
    }

    private func digest(_ rest: String, nonce: String = "n") -> String {
        #"Digest realm="r", nonce="\#(nonce)", \#(rest)"#
    }

    @Test func allPartsOfAChallengeAreRead() {
        let challenge = strongest(
            digest(
                #"opaque="o", algorithm=SHA-256-sess, qop="auth-int, Auth", stale=TRUE, "#
                    + #"userhash=true, domain="/a https://b/c""#))
        #expect(challenge?.realm == "r" && challenge?.nonce == "n" && challenge?.opaque == "o")
        #expect(challenge?.algorithm == DigestAlgorithm("SHA-256-sess"))
        #expect(challenge?.protection == .auth)
        #expect(challenge?.isStale == true && challenge?.hashesUser == true)
        #expect(challenge?.domain == ["/a", "https://b/c"])
    }

    @Test func aMissingPartOfAChallengeHasItsDefault() {
        let challenge = strongest(digest(#"domain="""#))
        #expect(challenge?.opaque == nil && challenge?.domain == nil)
        #expect(challenge?.algorithm.hash == .md5 && challenge?.algorithm.name == nil)
        #expect(challenge?.protection == DigestChallenge.Protection.none)
        #expect(challenge?.isStale == false && challenge?.hashesUser == false)
        #expect(strongest(digest("qop=auth-int"))?.protection == .authInt)
    }

    @Test func theStrongestOfSeveralChallengesIsTaken() {
        let (md5, sha) = (digest("algorithm=MD5"), digest("algorithm=SHA-256"))
        #expect(strongest(md5, sha)?.algorithm.hash == .sha256)
        #expect(strongest("\(sha), \(md5)")?.algorithm.hash == .sha256)
        #expect(strongest(digest("algorithm=SHA-512-256"), md5)?.algorithm.hash == .sha512cut)
        #expect(strongest(digest("algorithm=SHA-9"), md5)?.algorithm.hash == .md5)
        #expect(strongest(digest("qop=auth", nonce: "1"), digest("qop=auth"))?.nonce == "1")
        #expect(strongest("Basic realm=r", md5, "Negotiate")?.algorithm.hash == .md5)
    }

    @Test(arguments: [
        "Basic realm=r, nonce=n", "Digest realm=r", "Digest nonce=n",
        "Digest realm=r, nonce=n, nonce=n", "Digest realm=r, nonce=n, algorithm=SHA-1",
        "Digest realm=r, nonce=n, qop=x", "Digest realm=r, nonce=n, algorithm=MD5-sess",
    ])
    func aChallengeThatIsNotUnderstoodIsNone(_ value: String) { #expect(strongest(value) == nil) }
}
