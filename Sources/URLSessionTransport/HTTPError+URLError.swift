import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension HTTPError {
    /// Why URLSession failed, in a few words; nil where the code says all.
    ///
    /// - Parameters:
    ///   - error: What URLSession said.
    ///   - idleLimit: How long it lets nothing come or go, nil where it has no such limit.
    static func reason(of error: any Error, idleLimit: Duration? = nil) -> String? {
        guard let code = (error as? URLError)?.code else { return nil }
        switch code {
        case .timedOut: return idleLimit.map { TimeLimit.idle($0).words }
        case .serverCertificateHasUnknownRoot: return "the certificate's authority is unknown"
        case .serverCertificateNotYetValid: return "the certificate is not valid yet"
        case .clientCertificateRejected, .clientCertificateRequired:
            return "the server asks for a client's certificate, or refuses it"
        default: break
        }
        guard HTTPError.Code(error) == .insecureConnection else { return nil }
        if let reason = TLSFailureReason.reason(in: (error as NSError).localizedDescription) {
            return reason
        }
        return code == .serverCertificateHasBadDate ? "the certificate has expired" : nil
    }
}

extension HTTPError.Code {
    /// The code for an error of URLSession's.
    init(_ error: any Error) {
        guard let code = (error as? URLError)?.code else {
            self = .other
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
        case .fileDoesNotExist, .noPermissionsToReadFile, .fileIsDirectory: self = .bodyUnreadable
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            self = .insecureConnection
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .zeroByteResource:
            self = .badResponse
        default: self = Self.isAboutCoding(error) ? .badResponse : Self.onThisPlatform(code)
        }
    }

    /// Whether libcurl could not decode a body, which on Linux only its words tell from a lost
    /// connection.
    private static func isAboutCoding(_ error: any Error) -> Bool {
        let words = (error as NSError).localizedDescription
        return words.contains("content encoding") || words.contains("content unencoding")
    }

    /// The code for what the platforms do not name alike.
    ///
    /// On Linux a server that leaves without an answer is a "bad server response", a body that
    /// ends too soon is "unknown", and what is no HTTP is an "unsupported URL"; a URL that really
    /// is unsupported is never sent.
    private static func onThisPlatform(_ code: URLError.Code) -> HTTPError.Code {
        #if canImport(FoundationNetworking)
        switch code {
        case .badServerResponse, .unknown: return .connectionLost
        case .unsupportedURL: return .badResponse
        default: return .other
        }
        #else
        return code == .badServerResponse ? .badResponse : .other
        #endif
    }
}
