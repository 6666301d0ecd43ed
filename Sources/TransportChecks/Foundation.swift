// The only file that chooses the Foundation of the module; its clients see the same types.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
