import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// The connection settings that URLSession leaves to its delegate and to each request.
final class SessionConnecting: Sendable {
    let rules: ChallengeRules

    let assumesHTTP3: Bool

    #if canImport(Security)
    let identity: ClientIdentity?
    #endif

    /// True once a server has passed the checks.
    private let hasChecked = Locked(false)

    /// Leaves everything to URLSession.
    init() {
        rules = ChallengeRules()
        assumesHTTP3 = false
        #if canImport(Security)
        identity = nil
        #endif
    }

    /// Reads the files that the settings name.
    ///
    /// - Throws: An `UnsupportedSetting` if a file can't be read.
    init(_ settings: ConnectionSettings) throws(UnsupportedSetting) {
        rules = try ChallengeRules(settings.tls)
        assumesHTTP3 = settings.versions == .http3
        #if canImport(Security)
        if let certificate = settings.tls.clientCertificate {
            identity = try ClientIdentity(certificate)
        } else {
            identity = nil
        }
        #endif
    }

    /// Decides the answer to a question; remembers whether a server has passed the checks.
    func answer(to challenge: Challenge) -> ChallengeRules.Answer {
        let answer = rules.answer(to: challenge)
        if rules.needsEvidence(for: challenge), answer == .trust || answer == .byDefault {
            hasChecked.withLock { $0 = true }
        }
        return answer
    }

    /// Returns whether a response may be accepted: over TLS, only after a server has passed the checks.
    ///
    /// URLSession may resume a TLS session that another URLSession of the process began under other rules. Then it asks
    /// nothing, and these rules haven't checked the server.
    func mayHear(_ request: HTTPRequest) -> Bool {
        guard rules.checksServers, request.origin?.scheme != "http" else { return true }
        return hasChecked.withLock { $0 }
    }
}

extension ChallengeRules {
    /// - Throws: An `UnsupportedSetting` if the authorities' file can't be read.
    init(_ settings: TLSSettings) throws(UnsupportedSetting) {
        self.init()
        verification = settings.verification
        pinnedKeys = settings.pinnedKeys
        hasClientCertificate = settings.clientCertificate != nil
        switch settings.authorities {
        case .system: break
        case .systemAnd(let file): authorities = .systemAnd(try Self.certificates(in: file))
        case .only(let file): authorities = .only(try Self.certificates(in: file))
        }
    }

    private static func certificates(in file: URL) throws(UnsupportedSetting) -> [Certificate] {
        guard let text = try? Data(contentsOf: file) else {
            throw UnsupportedSetting("tls.authorities", "the file \(file.path) cannot be read")
        }
        guard let certificates = Certificate.all(inPEM: text),
            certificates.allSatisfy(\.isReadableHere)
        else {
            throw UnsupportedSetting(
                "tls.authorities", "the file \(file.path) does not hold certificates in PEM")
        }
        return certificates
    }
}

/// A question that URLSession asks about a connection, with the evidence for the answer.
struct Challenge: Sendable {
    enum Kind { case serverTrust, clientCertificate, password }

    /// What the system has against a certificate.
    enum Flaw: CaseIterable {
        case expired, notYetValid, otherHost, unknownAuthority, revoked, other
    }

    /// The result of the system's evaluation.
    struct Evidence {
        /// Nil if the server is trusted.
        var flaw: Flaw?
        /// The certificates, the server's own first.
        var chain: [Certificate]
    }

    var kind: Kind
    var host: String
    var isProxy = false
    /// How many answers to the same question have failed.
    var failures = 0
    /// The host of the request's URL; nil if the request has ended.
    var askedHost: String?
    /// Nil if the system hasn't evaluated the server.
    var evidence: Evidence?
}

/// Decides which servers a session trusts, and which certificate it shows.
///
/// It uses only the question and its evidence, and never asks the system. It refuses a server unless it knows that all
/// requirements are met.
struct ChallengeRules: Hashable, Sendable {
    enum Answer: Equatable {
        /// Let the system decide, by its own check.
        case byDefault
        /// Trust the server, whatever the system found.
        case trust
        case showCertificate
        /// Go on without a password, so that the caller gets the response that asks for it.
        case withoutPassword
        /// Fail the call, for this reason.
        case refuse(String)
    }

    enum Authorities: Hashable {
        case system
        case systemAnd([Certificate])
        case only([Certificate])
    }

    var authorities = Authorities.system
    var verification = TLSSettings.Verification.full
    var pinnedKeys: [PinnedKey] = []
    var hasClientCertificate = false

    /// True if servers are checked besides the system's check, or instead of it.
    var checksServers: Bool { replacesSystem || !pinnedKeys.isEmpty }

    /// True if the rules may trust a server that the system would refuse.
    private var replacesSystem: Bool { authorities != .system || verification != .full }

    /// Returns whether the system must evaluate the server before the answer.
    func needsEvidence(for challenge: Challenge) -> Bool {
        challenge.kind == .serverTrust && !challenge.isProxy && checksServers
    }

    func answer(to challenge: Challenge) -> Answer {
        switch challenge.kind {
        case .password: .withoutPassword
        // Proxies are left to the system.
        case _ where challenge.isProxy: .byDefault
        case .clientCertificate: answerAboutClient(challenge)
        case .serverTrust: checksServers ? answerAboutServer(challenge) : .byDefault
        }
    }

    private func answerAboutClient(_ challenge: Challenge) -> Answer {
        guard hasClientCertificate else { return .byDefault }
        guard challenge.isAboutAskedHost else { return .refuse(Self.otherHost) }
        // The server has refused the certificate. If it were shown again, the system would ask for ever.
        guard challenge.failures == 0 else { return .refuse(Self.refusedCertificate) }
        return .showCertificate
    }

    private func answerAboutServer(_ challenge: Challenge) -> Answer {
        guard challenge.isAboutAskedHost else { return .refuse(Self.otherHost) }
        guard let evidence = challenge.evidence, let certificate = evidence.chain.first else {
            return .refuse("the server's certificate could not be evaluated")
        }
        if verification != .none, let flaw = evidence.flaw { return .refuse(flaw.reason) }
        if !pinnedKeys.isEmpty {
            guard let key = certificate.publicKey else {
                return .refuse("the key of the server's certificate is of no known kind")
            }
            guard pinnedKeys.contains(where: { $0.matches(key) }) else {
                return .refuse("the server's key is none of those that are pinned")
            }
        }
        // Rules that only add requirements leave the rest to the system's own check.
        return replacesSystem ? .trust : .byDefault
    }

    private static let otherHost = "the certificate is for another host"
    private static let refusedCertificate =
        "the server asks for a client's certificate, or refuses it"
}

extension Challenge {
    /// True if the question is about the request's host, perhaps written in another form.
    fileprivate var isAboutAskedHost: Bool {
        guard let askedHost else { return false }
        let host = Self.plain(host)
        return !host.isEmpty && host == Self.plain(askedHost)
    }

    private static func plain(_ host: String) -> String {
        var host = host.lowercased()[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host).replacing("%25", with: "%")
    }
}

extension ChallengeRules.Answer {
    /// Why the call fails; nil unless the answer is a refusal.
    var reason: String? { if case .refuse(let reason) = self { reason } else { nil } }
}

extension Challenge.Flaw {
    /// In the same words as the other transports.
    var reason: String {
        switch self {
        case .expired: "the certificate has expired"
        case .notYetValid: "the certificate is not valid yet"
        case .otherHost: "the certificate is for another host"
        case .unknownAuthority: "the certificate's authority is unknown"
        case .revoked: "the certificate has been revoked"
        case .other: "the certificate is not trusted: its authority is unknown, or its time is over"
        }
    }
}
