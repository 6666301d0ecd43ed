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
