// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Apple's Security and what of Core Foundation goes with it, with the signatures of the SDK, which has no Sendable
// here, and with empty bodies. The types that Foundation converts from and to its own are these themselves.
@_exported import Foundation  // Linux's

public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias CFIndex = Int
public typealias CFString = String
public typealias CFData = Data
public typealias CFArray = [Any]
public typealias CFDictionary = [AnyHashable: Any]
public final class CFAllocator {}
public final class CFError: Error, @unchecked Sendable {}
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { fatalError() }
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID { fatalError() }

public typealias OSStatus = Int32
public var errSecSuccess: OSStatus { fatalError() }
public var errSecItemNotFound: OSStatus { fatalError() }
public var errSecCertificateExpired: OSStatus { fatalError() }
public var errSecCertificateNotValidYet: OSStatus { fatalError() }
public var errSecCertificateRevoked: OSStatus { fatalError() }
public var errSecHostNameMismatch: OSStatus { fatalError() }
public var errSecNotTrusted: OSStatus { fatalError() }
public var errSecCreateChainFailed: OSStatus { fatalError() }

public final class SecCertificate {}
public func SecCertificateCreateWithData(
    _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }

public final class SecPolicy {}
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { fatalError() }

public final class SecTrust {}
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    fatalError()
}
public func SecTrustSetAnchorCertificates(
    _ trust: SecTrust, _ anchorCertificates: CFArray?
) -> OSStatus { fatalError() }
public func SecTrustSetAnchorCertificatesOnly(
    _ trust: SecTrust, _ anchorCertificatesOnly: Bool
) -> OSStatus { fatalError() }
public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { fatalError() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }

public final class SecIdentity {}
public func SecIdentityGetTypeID() -> CFTypeID { fatalError() }

public let kSecImportExportPassphrase: CFString = ""
public let kSecImportToMemoryOnly: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public let kSecImportItemCertChain: CFString = ""
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { fatalError() }

public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessGroup: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecValueData: CFString = ""
public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { fatalError() }
public func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { fatalError() }
public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
    fatalError()
}
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }
