import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension HTTPError {
    /// The reason in a few words; nil if the code says everything.
    ///
    /// - Parameters:
    ///   - error: The error of URLSession.
    ///   - idleLimit: The session's idle timeout.
    static func reason(of error: any Error, idleLimit: Duration? = nil) -> String? {
        guard let code = (error as? URLError)?.code else { return nil }
        switch code {
        case .timedOut: return idleLimit.map { TimeLimit.idle($0).words }
        case .badURL:
            return "URLSession takes no URL with this host: write an IPv4 address as four numbers"
        case .appTransportSecurityRequiresSecureConnection:
            return "App Transport Security refuses http: use https, or allow it in Info.plist under"
                + " NSAppTransportSecurity, by NSAllowsLocalNetworking for the local network or by"
                + " NSExceptionDomains for a host"
        case .userAuthenticationRequired, .userCancelledAuthentication:
            return "it asks for a user and a password: send them by .authorize(_:)"
        case .serverCertificateHasUnknownRoot: return "the certificate's authority is unknown"
        case .serverCertificateNotYetValid: return "the certificate is not valid yet"
        case .clientCertificateRejected, .clientCertificateRequired:
            return "the server asks for a client's certificate, or refuses it"
        default: break
        }
        #if canImport(FoundationNetworking)
        if let status = LibcurlWords((error as NSError).localizedDescription).proxyStatus {
            return "the proxy answered \(status)"
        }
        #endif
        guard HTTPError.Code(error) == .insecureConnection else { return nil }
        if let reason = TLSFailureReason.reason(in: (error as NSError).localizedDescription) {
            return reason
        }
        return code == .serverCertificateHasBadDate ? "the certificate has expired" : nil
    }
}

extension HTTPError.Code {
    init(_ error: any Error) {
        guard let code = (error as? URLError)?.code else {
            let error = error as NSError
            let isOfCFNetwork = error.domain == "kCFErrorDomainCFNetwork"
            self = isOfCFNetwork ? Self.ofProxies[error.code] ?? .other : .other
            return
        }
        switch code {
        case .timedOut: self = .timedOut
        case .cannotFindHost, .dnsLookupFailed: self = .cannotFindHost
        case .cannotConnectToHost: self = .cannotConnect
        case .networkConnectionLost: self = .connectionLost
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            self = .notConnected
        case .httpTooManyRedirects, .redirectToNonExistentLocation: self = .tooManyRedirects
        case .dataLengthExceedsMaximum: self = .bodyTooLarge
        case .badURL, .appTransportSecurityRequiresSecureConnection, .userAuthenticationRequired,
            .userCancelledAuthentication:
            self = .unsupported
        case .fileDoesNotExist, .noPermissionsToReadFile, .fileIsDirectory: self = .bodyUnreadable
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            self = .insecureConnection
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .zeroByteResource:
            self = .badResponse
        default: self = Self.onThisPlatform(code, (error as NSError).localizedDescription)
        }
        #if canImport(FoundationNetworking)
        // A server that refuses the client's certificate ends the connection after the handshake. URLSession calls that
        // a lost connection; only its words tell.
        let isRefused = { LibcurlWords($0).meaning == .insecureConnection }
        if code == .networkConnectionLost, isRefused((error as NSError).localizedDescription) {
            self = .insecureConnection
        }
        #endif
    }

    /// CFNetwork's proxy errors, which Apple's URLSession passes on.
    ///
    /// Only wrong credentials are a lasting refusal. The others don't tell the proxy's status.
    private static let ofProxies: [Int: HTTPError.Code] = [
        // kCFErrorHTTPBadProxyCredentials, and two errors of SOCKS: wrong credentials, and no acceptable method.
        307: .proxyRefused, 122: .proxyRefused, 124: .proxyRefused,
        // kCFErrorHTTPProxyConnectionFailure, kCFErrorHTTPSProxyConnectionFailure, and an unexpected answer to CONNECT.
        306: .cannotConnect, 310: .cannotConnect, 311: .cannotConnect,
    ]

    /// The code for an error that means different things on different systems.
    ///
    /// On Linux, "bad server response" means that the connection was closed without an answer, and "unsupported URL"
    /// that the answer wasn't HTTP. Most other errors are "unknown", and only libcurl's words tell, for example, an
    /// untrusted certificate from a body that ended too soon.
    private static func onThisPlatform(_ code: URLError.Code, _ words: String) -> HTTPError.Code {
        #if canImport(FoundationNetworking)
        switch code {
        case .badServerResponse: return .connectionLost
        case .unsupportedURL: return .badResponse
        case .unknown: return LibcurlWords(words).meaning ?? .other
        default: return .other
        }
        #else
        switch code {
        case .badServerResponse: return .badResponse
        case .unsupportedURL: return .unsupported
        default: return .other
        }
        #endif
    }
}
