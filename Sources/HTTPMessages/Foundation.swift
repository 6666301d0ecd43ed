// Chooses which Foundation this module imports, and re-exports it, so that clients see the same types.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
