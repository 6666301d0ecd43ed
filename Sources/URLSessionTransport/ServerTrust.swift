#if canImport(Security)
import Foundation
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import Security

/// A server that the system can evaluate.
///
/// One thread at a time uses it, because the challenge is answered only after the evaluation.
struct ServerTrust: @unchecked Sendable {
    private let trust: SecTrust

    init(_ trust: SecTrust) { self.trust = trust }

    var credential: URLCredential { URLCredential(trust: trust) }

    /// The system's evaluation; nil if it can't evaluate the server.
    ///
    /// This blocks, because the system may ask the network for certificates and revocations.
    func evidence(by rules: ChallengeRules, for host: String) -> Challenge.Evidence? {
        guard limit(to: rules.verification == .full ? host : nil), trustAuthorities(of: rules)
        else { return nil }
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(trust, &error)
        let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []).map {
            Certificate(der: SecCertificateCopyData($0) as Data)
        }
        if isTrusted { return Challenge.Evidence(flaw: nil, chain: chain) }
        let flaw = error.map { Challenge.Flaw(code: CFErrorGetCode($0)) }
        return Challenge.Evidence(flaw: flaw ?? .other, chain: chain)
    }

    /// Requires a certificate for servers and, if given, for this host.
    private func limit(to host: String?) -> Bool {
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, host as CFString?)) == errSecSuccess
    }

    private func trustAuthorities(of rules: ChallengeRules) -> Bool {
        switch rules.authorities {
        case .system: true
        case .systemAnd(let certificates): anchor(certificates, isOnly: false)
        case .only(let certificates): anchor(certificates, isOnly: true)
        }
    }

    private func anchor(_ certificates: [Certificate], isOnly: Bool) -> Bool {
        let anchors = certificates.compactMap(\.forSystem)
        return anchors.count == certificates.count
            && SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess
            && SecTrustSetAnchorCertificatesOnly(trust, isOnly) == errSecSuccess
    }
}

extension Certificate {
    /// Nil if the system can't read the certificate.
    fileprivate var forSystem: SecCertificate? { SecCertificateCreateWithData(nil, der as CFData) }

    var isReadableHere: Bool { forSystem != nil }
}

extension Challenge.Flaw {
    fileprivate init(code: Int) {
        self =
            switch OSStatus(truncatingIfNeeded: code) {
            case errSecCertificateExpired: .expired
            case errSecCertificateNotValidYet: .notYetValid
            case errSecHostNameMismatch: .otherHost
            case errSecNotTrusted, errSecCreateChainFailed: .unknownAuthority
            case errSecCertificateRevoked: .revoked
            default: .other
            }
    }
}

extension Challenge {
    /// Creates a question from URLSession's challenge.
    ///
    /// - Parameter host: The host of the request's URL; nil if the request has ended.
    init(_ challenge: URLAuthenticationChallenge, askedHost host: String?) {
        let space = challenge.protectionSpace
        let kind: Kind =
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: .serverTrust
            case NSURLAuthenticationMethodClientCertificate: .clientCertificate
            default: .password
            }
        self.init(
            kind: kind, host: space.host, isProxy: space.isProxy(),
            failures: challenge.previousFailureCount, askedHost: host)
    }
}

/// A client certificate with its private key, in memory; the system's objects in it never change.
final class ClientIdentity: @unchecked Sendable {
    private let identity: SecIdentity
    private let issuers: [SecCertificate]

    /// Reads a PKCS#12 file.
    ///
    /// - Throws: An `UnsupportedSetting` if the system can't read it.
    init(_ certificate: TLSSettings.ClientCertificate) throws(UnsupportedSetting) {
        let path = certificate.chain.path
        guard let data = try? Data(contentsOf: certificate.chain) else {
            throw UnsupportedSetting("tls.clientCertificate", "the file \(path) cannot be read")
        }
        let options: [CFString: Any] = [
            kSecImportExportPassphrase: certificate.password ?? "", kSecImportToMemoryOnly: true,
        ]
        var items: CFArray?
        let status = SecPKCS12Import(data as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
            let value = item[kSecImportItemIdentity as String],
            CFGetTypeID(value as CFTypeRef) == SecIdentityGetTypeID()
        else {
            throw UnsupportedSetting(
                "tls.clientCertificate",
                "the file \(path) cannot be read as PKCS#12 with this password (OSStatus \(status));"
                    + " `openssl pkcs12 -export -legacy` writes the older form")
        }
        identity = value as! SecIdentity
        let chain = item[kSecImportItemCertChain as String] as? [SecCertificate]
        issuers = Array((chain ?? []).dropFirst())
    }

    var credential: URLCredential {
        URLCredential(identity: identity, certificates: issuers, persistence: .forSession)
    }
}
#else
extension Certificate {
    /// True if the certificate's key can be read; URLSession on Linux reads no certificates.
    var isReadableHere: Bool { publicKey != nil }
}
#endif
