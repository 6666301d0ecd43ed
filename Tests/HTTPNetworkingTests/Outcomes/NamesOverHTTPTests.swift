import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// The names of a cache and of a refresher, in the events of their middleware.
@Suite struct NamesOverHTTPTests {
    let scheduler = ManualScheduler()
    let request = HTTPRequest(.get, URL(string: "https://shop.example/products")!)

    /// The names in the events of a policy, for two calls one after the other.
    private func names(
        of policy: String, _ middleware: Middleware<HTTPRequest, HTTPResponse>,
        over service: @escaping HTTPService
    ) -> [String?] {
        let events = Locked<[PolicyEvent]>([])
        let observer = ServiceObserver { event in events.withLock { $0.append(event) } }
        let send = stack(.observed(by: observer, on: scheduler), middleware, over: service)
        for _ in 1...2 {
            _ = send(request)
            scheduler.run()
        }
        return events.withLock { $0.filter { $0.policy == policy }.map(\.policyName) }
    }

    @Test("S9: events of a cache have its name") func aCacheIsNamed() {
        let cache = HTTPCache(named: "products", on: scheduler)
        let names = names(of: "cache", .cache(sharing: cache)) { _ in
            Future(value: HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=60"]))
        }
        // The events are a miss and a hit.
        #expect(names == ["products", "products"])
    }

    @Test("S9: events of a refresher have its name") func aRefresherIsNamed() {
        let refresher = TokenRefresher(AccessToken("t1"), named: "shop", on: scheduler) { _ in
            Future(value: AccessToken("t2"))
        }
        let names = names(of: "authorize", .authorize(.bearer(from: refresher), for: .all)) {
            let isLetIn = $0.headers["Authorization"] == "Bearer t2"
            return Future(value: HTTPResponse(status: isLetIn ? 200 : 401))
        }
        #expect(!names.isEmpty)
        #expect(names.allSatisfy { $0 == "shop" })
    }
}
