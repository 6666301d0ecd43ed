// snippet: missing-storage
import Foundation
import Pledge

let cache = HTTPCache(folder: .temporaryDirectory)
// error: 'init(named:folder:limit:memory:mode:replaysCookies:statusName:coalescesMisses:harmlessHeaders:staleIfUnreachable:defaultLifetime:backgroundLimit:now:on:)' is unavailable: add the product PledgeStorage to your target, and import PledgeStorage
// end snippet
