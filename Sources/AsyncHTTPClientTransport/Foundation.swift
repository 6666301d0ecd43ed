#if AsyncHTTPClient
// Only this file chooses between FoundationEssentials and Foundation. The whole module, and every module that imports
// it, see the same types.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
#endif
