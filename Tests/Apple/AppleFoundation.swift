// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What `import Foundation` brings on Apple's systems.
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation  // Linux's
@_exported import FoundationNetworking
@_exported import FoundationXML
@_exported import Observation
import Security

public enum tls_protocol_version_t: UInt16, Sendable { case TLSv10, TLSv11, TLSv12, TLSv13 }

extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set {}
    }
    public var waitsForConnectivity: Bool {
        get { fatalError() }
        set {}
    }
    public var allowsExpensiveNetworkAccess: Bool {
        get { fatalError() }
        set {}
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { fatalError() }
        set {}
    }
}

extension URLRequest {
    public var assumesHTTP3Capable: Bool {
        get { fatalError() }
        set {}
    }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
    public convenience init(
        identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence
    ) { fatalError() }
}

public let NSURLAuthenticationMethodServerTrust = ""
public let NSURLAuthenticationMethodClientCertificate = ""
