import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import Testing

@testable import PledgeURLSessionTransport

/// What a session answers to each question: a server is refused in every doubt.
struct ChallengeRulesTests {
    private let good = SampleCertificate.ec
    private let other = SampleCertificate.rsa

    private func rules(_ adjust: (inout ChallengeRules) -> Void = { _ in }) -> ChallengeRules {
        var rules = ChallengeRules()
        adjust(&rules)
        return rules
    }

    /// A question about the server that is asked, which the system trusts.
    private func trust(_ adjust: (inout Challenge) -> Void = { _ in }) -> Challenge {
        var challenge = Challenge(
            kind: .serverTrust, host: "a.example", askedHost: "a.example",
            evidence: .init(flaw: nil, chain: [good.certificate, other.certificate]))
        adjust(&challenge)
        return challenge
    }

    private let unpinned = ChallengeRules.Answer.refuse(
        "the server's key is none of those that are pinned")
    private let unevaluated = ChallengeRules.Answer.refuse(
        "the server's certificate could not be evaluated")
    private let otherHost = ChallengeRules.Answer.refuse("the certificate is for another host")

    /// Rules under which a server is not left to the system.
    private var strictRules: [ChallengeRules] {
        [
            rules { $0.pinnedKeys = [good.pin] },
            rules { $0.authorities = .only([other.certificate]) },
            rules { $0.authorities = .systemAnd([other.certificate]) },
            rules { $0.verification = .authorityOnly },
            rules { $0.verification = .none },
            rules {
                $0.pinnedKeys = [good.pin]
                $0.verification = .none
            },
        ]
    }

    @Test func withoutSettingsTheSystemDecides() {
        let rules = rules()
        for challenge in [
            trust(), trust { $0.evidence = nil }, trust { $0.host = "b.example" },
            trust { $0.askedHost = nil },
        ] {
            #expect(!rules.needsEvidence(for: challenge))
            #expect(rules.answer(to: challenge) == .byDefault)
        }
        #expect(rules.answer(to: trust { $0.kind = .clientCertificate }) == .byDefault)
    }

    @Test func noPasswordIsGiven() {
        for rules in [rules()] + strictRules {
            #expect(rules.answer(to: trust { $0.kind = .password }) == .withoutPassword)
            let proxy = trust {
                $0.kind = .password
                $0.isProxy = true
            }
            #expect(rules.answer(to: proxy) == .withoutPassword)
        }
    }

    /// The system has the last word on a server whose key is right.
    @Test func aPinnedKeyLeavesTheRestToTheSystem() {
        for pins in [[good.pin], [SampleCertificate.ed25519.pin, good.pin]] {
            let rules = rules { $0.pinnedKeys = pins }
            #expect(rules.needsEvidence(for: trust()))
            #expect(rules.answer(to: trust()) == .byDefault)
        }
    }

    /// As with libcurl and AsyncHTTPClient: an authority's key may be pinned by nobody.
    @Test func onlyTheServersOwnKeyCounts() {
        let rules = rules { $0.pinnedKeys = [other.pin] }
        #expect(rules.answer(to: trust()) == unpinned)
    }

    @Test(arguments: TLSSettings.Verification.all)
    func aPinIsComparedHoweverTheServerIsVerified(verification: TLSSettings.Verification) {
        let pinned = rules {
            $0.pinnedKeys = [other.pin]
            $0.verification = verification
            $0.authorities = .only([other.certificate])
        }
        #expect(pinned.answer(to: trust()) == unpinned)
    }

    @Test func ownAuthoritiesAndLessVerificationReplaceTheSystems() {
        for rules in strictRules.dropFirst() {
            #expect(rules.needsEvidence(for: trust()))
            #expect(rules.answer(to: trust()) == .trust)
        }
    }

    @Test(arguments: Challenge.Flaw.allCases)
    func aFlawRefusesUnlessNothingIsVerified(flaw: Challenge.Flaw) {
        let flawed = trust { $0.evidence?.flaw = flaw }
        for rules in strictRules {
            let isBlind = rules.verification == .none
            #expect(rules.answer(to: flawed) == (isBlind ? .trust : .refuse(flaw.reason)))
        }
    }

    @Test func flawsAreNamedAsByTheOtherTransports() {
        #expect(
            Challenge.Flaw.allCases.map(\.reason) == [
                "the certificate has expired", "the certificate is not valid yet",
                "the certificate is for another host", "the certificate's authority is unknown",
                "the certificate has been revoked",
                "the certificate is not trusted: its authority is unknown, or its time is over",
            ])
    }

    @Test func aServerThatWasNotEvaluatedIsRefused() {
        for rules in strictRules {
            #expect(rules.answer(to: trust { $0.evidence = nil }) == unevaluated)
            #expect(rules.answer(to: trust { $0.evidence?.chain = [] }) == unevaluated)
        }
    }

    @Test func aCertificateThatCannotBeReadHasNoPinnedKey() {
        let rules = rules { $0.pinnedKeys = [good.pin, SampleCertificate.x25519.pin] }
        let words = "the key of the server's certificate is of no known kind"
        let bytes = Array(good.der)
        for der in [
            Data(), Data([0x30, 0x80]), Data(bytes.dropLast()), Data(bytes + [0]),
            SampleCertificate.x25519.der,
        ] {
            let challenge = trust { $0.evidence?.chain[0] = Certificate(der: der) }
            #expect(rules.answer(to: challenge) == .refuse(words))
        }
    }

    @Test func anotherHostThanTheOneThatIsAskedIsRefused() {
        for rules in strictRules {
            for host in ["b.example", "", "a.example.evil", "aXexample", "a.example.."] {
                #expect(rules.answer(to: trust { $0.host = host }) == otherHost, "\(host)")
            }
            #expect(rules.answer(to: trust { $0.askedHost = nil }) == otherHost)
            let nobody = trust {
                $0.host = ""
                $0.askedHost = ""
            }
            #expect(rules.answer(to: nobody) == otherHost)
        }
    }

    @Test(arguments: [
        ("A.example", "a.example"), ("a.example.", "a.example"), ("a.example", "a.example."),
        ("::1", "[::1]"), ("[::1]", "[::1]"), ("fe80::1%en0", "[fe80::1%25en0]"),
    ])
    func theFormsOfAHostDoNotMatter(host: String, asked: String) {
        let rules = rules { $0.verification = .authorityOnly }
        let challenge = trust {
            $0.host = host
            $0.askedHost = asked
        }
        #expect(rules.answer(to: challenge) == .trust)
    }

    /// Settings are about servers; a proxy of the system has none.
    @Test func aProxyIsTheSystemsBusiness() {
        for rules in strictRules {
            let proxy = trust {
                $0.isProxy = true
                $0.evidence = nil
            }
            #expect(!rules.needsEvidence(for: proxy))
            #expect(rules.answer(to: proxy) == .byDefault)
        }
        let rules = rules { $0.hasClientCertificate = true }
        let proxy = trust {
            $0.kind = .clientCertificate
            $0.isProxy = true
        }
        #expect(rules.answer(to: proxy) == .byDefault)
    }

    @Test func theClientCertificateIsShownOnceAndToTheServerThatIsAsked() {
        let rules = rules { $0.hasClientCertificate = true }
        let question = trust { $0.kind = .clientCertificate }
        #expect(!rules.needsEvidence(for: question))
        #expect(rules.answer(to: question) == .showCertificate)
        let again = trust {
            $0.kind = .clientCertificate
            $0.failures = 1
        }
        #expect(
            rules.answer(to: again)
                == .refuse("the server asks for a client's certificate, or refuses it"))
        let elsewhere = trust {
            $0.kind = .clientCertificate
            $0.host = "b.example"
        }
        #expect(rules.answer(to: elsewhere) == otherHost)
        // The server itself is then the system's business.
        #expect(rules.answer(to: trust()) == .byDefault)
    }

    @Test func onlyARefusalHasAReason() {
        #expect(unpinned.reason == "the server's key is none of those that are pinned")
        for answer in [ChallengeRules.Answer.byDefault, .trust, .showCertificate, .withoutPassword]
        {
            #expect(answer.reason == nil)
        }
    }
}

extension TLSSettings.Verification {
    fileprivate static let all: [TLSSettings.Verification] = [.full, .authorityOnly, .none]
}

/// What a session keeps of its settings, and the servers that it has checked.
struct SessionConnectingTests {
    private let folder: TestFolder
    private let authorities: URL
    private let request = HTTPRequest(.get, URL(string: "https://a.example/")!)

    init() throws {
        folder = try TestFolder()
        let text = SampleCertificate.ec.pem + SampleCertificate.rsa.pem
        authorities = try folder.file("authorities.pem", Data(text.utf8))
    }

    private func connecting(
        _ adjust: (inout ConnectionSettings) -> Void = { _ in }
    ) throws -> SessionConnecting {
        var settings = ConnectionSettings()
        adjust(&settings)
        return try SessionConnecting(settings)
    }

    private func challenge(_ adjust: (inout Challenge) -> Void = { _ in }) -> Challenge {
        var challenge = Challenge(
            kind: .serverTrust, host: "a.example", askedHost: "a.example",
            evidence: .init(flaw: nil, chain: [SampleCertificate.ec.certificate]))
        adjust(&challenge)
        return challenge
    }

    @Test func theDefaultChecksNothingItself() throws {
        for connecting in [SessionConnecting(), try connecting()] {
            #expect(connecting.rules == ChallengeRules())
            #expect(!connecting.rules.checksServers)
            #expect(!connecting.assumesHTTP3)
            #expect(connecting.mayHear(request))
        }
    }

    @Test func keepsTheSettings() throws {
        let certificates = [SampleCertificate.ec.certificate, SampleCertificate.rsa.certificate]
        let own = try connecting { $0.tls.authorities = .only(authorities) }
        #expect(own.rules.authorities == .only(certificates))
        let both = try connecting { $0.tls.authorities = .systemAnd(authorities) }
        #expect(both.rules.authorities == .systemAnd(certificates))
        let pinned = try connecting {
            $0.tls.pinnedKeys = [SampleCertificate.ec.pin]
            $0.tls.verification = .authorityOnly
        }
        #expect(pinned.rules.pinnedKeys == [SampleCertificate.ec.pin])
        #expect(pinned.rules.verification == .authorityOnly)
        #expect(try connecting { $0.versions = .http3 }.assumesHTTP3)
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n"])
    func authoritiesThatCannotBeReadAreRefused(text: String) throws {
        let file = try folder.file("bad.pem", Data(text.utf8))
        for authorities in [TLSSettings.Authorities.only(file), .systemAnd(file)] {
            #expect(
                throws: UnsupportedSetting(
                    "tls.authorities", "the file \(file.path) does not hold certificates in PEM")
            ) { try connecting { $0.tls.authorities = authorities } }
        }
        let missing = folder.url.appendingPathComponent("missing.pem")
        #expect(
            throws: UnsupportedSetting(
                "tls.authorities", "the file \(missing.path) cannot be read")
        ) { try connecting { $0.tls.authorities = .only(missing) } }
    }

    /// URLSession may resume a TLS session of another URLSession, and ask nothing.
    @Test func noResponseIsTakenBeforeAServerWasChecked() throws {
        let connecting = try connecting { $0.tls.pinnedKeys = [SampleCertificate.ec.pin] }
        #expect(!connecting.mayHear(request))
        #expect(connecting.mayHear(HTTPRequest(.get, URL(string: "http://a.example/")!)))

        let refusals = [
            challenge { $0.evidence = nil }, challenge { $0.host = "b.example" },
            challenge { $0.evidence?.flaw = .expired },
            challenge { $0.evidence?.chain = [SampleCertificate.rsa.certificate] },
        ]
        for refusal in refusals { #expect(connecting.answer(to: refusal).reason != nil) }
        // Neither of these says anything of the server.
        #expect(connecting.answer(to: challenge { $0.isProxy = true }) == .byDefault)
        #expect(connecting.answer(to: challenge { $0.kind = .clientCertificate }) == .byDefault)
        #expect(connecting.answer(to: challenge { $0.kind = .password }) == .withoutPassword)
        #expect(!connecting.mayHear(request))

        #expect(connecting.answer(to: challenge()) == .byDefault)
        #expect(connecting.mayHear(request))
    }

    @Test func aServerThatIsTrustedHasBeenChecked() throws {
        let connecting = try connecting { $0.tls.authorities = .only(authorities) }
        #expect(!connecting.mayHear(request))
        #expect(connecting.answer(to: challenge()) == .trust)
        #expect(connecting.mayHear(request))
    }
}
