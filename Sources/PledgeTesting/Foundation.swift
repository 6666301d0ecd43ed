// A stub of a server, for tests and previews.
@_exported public import PledgeInMemoryTransport

// Chooses which Foundation this module imports, and re-exports it, so that clients see the same types.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
