import Foundation
import PledgeArticles

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Does what the articles do, says what came of it, and fails where it is not what they say.

check("the shop is open", URLProtocol.registerClass(Shop.self), is: true)
try await checkFunctionalNetworking()
try await checkCallbackActions()
exit(failures == 0 ? 0 : 1)
