// Only this file chooses the module's Foundation, so the module's clients see the same types.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
