public import Futures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// `localizedDescription` is what most apps show, and what Foundation says by itself is only the name
// of the type and a number.

extension HTTPError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension DecodingFailure: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension Endpoint.Error: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension FutureError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
