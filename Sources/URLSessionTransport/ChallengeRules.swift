import PledgeFutures
import PledgeHTTPNetworking

/// What a session does about connections that URLSession leaves to its delegate and to each request.
final class SessionConnecting: Sendable {
    let rules: ChallengeRules

    /// Whether requests may begin with HTTP/3.
    let assumesHTTP3: Bool

    #if canImport(Security)
    /// The client's certificate; nil for none.
    let identity: ClientIdentity?
    #endif

    /// Whether a server has passed the checks.
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
    /// - Throws: An `UnsupportedSetting` if one cannot be read.
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

    /// Decides what to answer, and notes that a server has passed.
    func answer(to challenge: Challenge) -> ChallengeRules.Answer {
        let answer = rules.answer(to: challenge)
        if rules.needsEvidence(for: challenge), answer == .trust || answer == .byDefault {
            hasChecked.withLock { $0 = true }
        }
        return answer
    }

    /// Whether a response may be taken: over TLS, only if a server has been checked.
    ///
    /// URLSession may resume a TLS session that another URLSession of the process has begun under other rules.
    /// Then it asks nothing.
    func mayHear(_ request: HTTPRequest) -> Bool {
        guard rules.checksServers, request.origin?.scheme != "http" else { return true }
        return hasChecked.withLock { $0 }
    }
}

extension ChallengeRules {
    /// - Throws: An `UnsupportedSetting` if the file of the authorities cannot be read.
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

/// What URLSession asks before it goes on with a connection, and what the system has found out about it.
struct Challenge: Sendable {
    enum Kind { case serverTrust, clientCertificate, password }

    /// What is wrong with a certificate by the system's evaluation.
    enum Flaw: CaseIterable {
        case expired, notYetValid, otherHost, unknownAuthority, revoked, other
    }

    /// What the system's evaluation has found.
    struct Evidence {
        /// What is wrong; nil if the server is trusted.
        var flaw: Flaw?
        /// The certificates, the server's own first.
        var chain: [Certificate]
    }

    var kind: Kind
    /// The host that the question is about.
    var host: String
    /// Whether the question comes from a proxy.
    var isProxy = false
    /// How often the same question has been answered in vain.
    var failures = 0
    /// The host that the request asks; nil if the request is no longer under way.
    var askedHost: String?
    /// What the system has found out about the server; nil if it has evaluated nothing.
    var evidence: Evidence?
}

/// How the questions of one session are answered: which servers are trusted, and what they are shown.
///
/// Pure: it asks no system. A server is refused unless all that is asked for is known to hold.
struct ChallengeRules: Hashable, Sendable {
    /// What to answer.
    enum Answer: Equatable {
        /// Let the system decide, which checks the certificate by itself.
        case byDefault
        /// Trust the server, whatever the system says of it.
        case trust
        /// Show the client certificate.
        case showCertificate
        /// Go on without a password: the caller gets the response that asks for it.
        case withoutPassword
        /// Fail the call.
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

    /// Whether servers are checked in another way than the system's own.
    var checksServers: Bool { replacesSystem || !pinnedKeys.isEmpty }

    /// Whether a server may be trusted that the system would refuse.
    private var replacesSystem: Bool { authorities != .system || verification != .full }

    /// Whether the system must evaluate the server before the question is answered.
    func needsEvidence(for challenge: Challenge) -> Bool {
        challenge.kind == .serverTrust && !challenge.isProxy && checksServers
    }

    /// Decides what to answer.
    func answer(to challenge: Challenge) -> Answer {
        switch challenge.kind {
        case .password: .withoutPassword
        // A proxy's certificate is the system's business, as its address is.
        case _ where challenge.isProxy: .byDefault
        case .clientCertificate: answerAboutClient(challenge)
        case .serverTrust: checksServers ? answerAboutServer(challenge) : .byDefault
        }
    }

    private func answerAboutClient(_ challenge: Challenge) -> Answer {
        guard hasClientCertificate else { return .byDefault }
        guard challenge.isAboutAskedHost else { return .refuse(Self.otherHost) }
        // The server has refused the certificate; the system would ask again and again.
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
        // Where the system's own check is wanted too, it has the last word.
        return replacesSystem ? .trust : .byDefault
    }

    private static let otherHost = "the certificate is for another host"
    private static let refusedCertificate =
        "the server asks for a client's certificate, or refuses it"
}

extension Challenge {
    /// Whether the host is the one that the request asks; the forms of an address may differ.
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
    /// Why the call fails; nil if the answer is no refusal.
    var reason: String? { if case .refuse(let reason) = self { reason } else { nil } }
}

extension Challenge.Flaw {
    /// The reason in the words of the other transports.
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
