#if HTTPTypes
// The one place where the module says which Foundation it takes; clients of it see the same types.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
#endif
