// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What `import Foundation` brings on Apple's systems.
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation  // Linux's
@_exported import FoundationNetworking
@_exported import FoundationXML
@_exported import Observation

public enum tls_protocol_version_t: UInt16, Sendable { case TLSv10, TLSv11, TLSv12, TLSv13 }

extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set {}
    }
}

public let NSURLAuthenticationMethodServerTrust = ""
public let NSURLAuthenticationMethodClientCertificate = ""
