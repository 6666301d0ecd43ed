import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct AuthenticationParserTests {
    private func challenges(_ values: String...) -> [AuthenticationChallenge] {
        .init(
            AuthenticationChallenge.all(
                in: HTTPHeaders(values.map { ("WWW-Authenticate", $0) })))
    }

    private func challenge(
        _ scheme: String, _ parameters: [String: String] = [:], isMalformed: Bool = false
    ) -> AuthenticationChallenge {
        AuthenticationChallenge(
            scheme: scheme, parameters: parameters, isMalformed: isMalformed)
    }

    /// The example of RFC 9110, section 11.6.1.
    @Test func aCommaSeparatesParametersAndChallenges() {
        let value =
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        #expect(
            challenges(value) == [
                challenge("basic", ["realm": "simple"]),
                challenge("newauth", ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
            ])
    }

    @Test func quotedStringsHoldAnything() {
        #expect(
            challenges(#"Digest realm="a, Basic b=\"c\" \\", nonce = "d=e,f" ,, opaque="""#) == [
                challenge(
                    "digest", ["realm": #"a, Basic b="c" \"#, "nonce": "d=e,f", "opaque": ""])
            ])
    }

    @Test func otherSchemesHaveOtherForms() {
        let digest = challenge("digest", ["a": "b"])
        #expect(
            challenges("Negotiate, Digest a=b, NTLM") == [
                challenge("negotiate"), digest, challenge("ntlm"),
            ])
        #expect(challenges("Negotiate YII/+=, Digest a=b") == [challenge("negotiate"), digest])
        #expect(challenges("Negotiate", "Digest a=b") == [challenge("negotiate"), digest])
        #expect(challenges("Digest a=b") == [digest])
        #expect(challenges("DIGEST A=b,\tBasic") == [digest, challenge("basic")])
        #expect(challenges("", " , ") == [])
    }

    @Test(arguments: [
        "Digest a=b, a=c", "Digest b=c, a=", "Digest a=b c", #"Digest a="b" c"#,
        #"Digest a=b, ="c""#,
        #"Digest a="b"#, #"Digest a="b\"#, "Digest \u{FC}=b", "Digest a=[b]",
    ])
    func whatIsMalformedIsKnownAsThat(_ value: String) {
        #expect(challenges(value).first?.isMalformed == true)
    }

    @Test func whatIsMalformedSpoilsItsOwnChallengeOnly() {
        let all = challenges("Digest a=b c, Digest a=b", "Digest a=b")
        #expect(all.map(\.isMalformed) == [true, false, false])
        #expect(challenges("x=y, Digest a=b") == [challenge("digest", ["a": "b"])])
    }

    @Test func aFieldWithoutASchemeHasParametersOnly() {
        #expect(
            AuthenticationChallenge.parameters(of: #"nextnonce="n", qop=auth"#)
                == ["nextnonce": "n", "qop": "auth"])
        #expect(AuthenticationChallenge.parameters(of: "") == [:])
        #expect(AuthenticationChallenge.parameters(of: "Digest nextnonce=n") == nil)
        #expect(AuthenticationChallenge.parameters(of: "nextnonce=n, nextnonce=m") == nil)
    }
}
