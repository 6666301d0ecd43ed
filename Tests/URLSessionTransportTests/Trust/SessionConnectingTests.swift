import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeURLSessionTransport

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
