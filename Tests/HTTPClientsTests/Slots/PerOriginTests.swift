import Foundation
import Pledge
import PledgeTesting
import PledgeTraffic
import Testing

@testable import PledgeHTTPClients

/// What a slot takes: a plain object for all origins, one for each, or a choice of the user's own.
@Suite struct PerOriginTests {
    private let scheduler = ManualScheduler()
    private let down = URL(string: "https://down.example")!
    private let up = URL(string: "https://up.example")!

    private func client(_ change: (inout HTTPClient) -> Void) -> HTTPClient {
        var client = HTTPClient(base: nil) { request in
            Future(value: HTTPResponse(status: request.url.host() == "down.example" ? 503 : 200))
        }
        client.scheduler = scheduler
        client.retry = nil
        change(&client)
        return client
    }

    private func isRefused(_ url: URL, by client: HTTPClient) -> Bool {
        guard case .failure(let error) = client.futures.send(HTTPRequest(url)).result else {
            return false
        }
        return error is ServiceError
    }

    private func origin(_ url: URL) throws -> HTTPOrigin { try #require(HTTPOrigin(url)) }

    @Test func aPlainObjectServesAllOrigins() throws {
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let client = client { $0.circuitBreaker = breaker }
        #expect(!isRefused(down, by: client))
        #expect(isRefused(up, by: client))
        #expect(client.origins[try origin(up)].circuitBreaker === breaker)
    }

    @Test func eachOriginHasAnObjectOfItsOwnWithTheSettings() throws {
        let settings = CircuitBreaker(failuresInARow: 1, lasting: .zero)
        let client = client { $0.circuitBreaker = .perOrigin(settings) }
        #expect(!isRefused(down, by: client))
        #expect(isRefused(down, by: client))
        #expect(!isRefused(up, by: client))
        #expect(settings.state == .closed)
        let breaker = try #require(client.origins[try origin(down)].circuitBreaker)
        #expect(breaker !== settings)
        #expect(breaker.name == "https://down.example:443")
        // It opens by the client's clock.
        guard case .open(let end) = breaker.state else { return #expect(Bool(false)) }
        #expect(end.offset <= .seconds(10))
    }

    @Test func anObjectsOwnNameStays() throws {
        let client = client { $0.bulkhead = .perOrigin(Bulkhead(named: "shop", limit: 3)) }
        #expect(client.origins[try origin(up)].bulkhead?.name == "shop")
    }

    @Test func aFunctionChoosesTheSettingsOfAnOrigin() throws {
        let client = client {
            $0.circuitBreaker = nil
            $0.bulkhead = .perOrigin { origin in
                Bulkhead(named: origin?.host == "up.example" ? "far" : nil)
            }
        }
        #expect(client.origins[try origin(up)].bulkhead?.name == "far")
        #expect(client.origins[try origin(down)].bulkhead?.name == "https://down.example:443")
    }

    @Test func allPoliciesCanBeRenewed() {
        let place = PolicyPlace("place", scheduler, .constant(0))
        let all: [any RenewablePolicy] = [
            CircuitBreaker(), Bulkhead(), LoadShedder(), RateLimiter(rate: 1, per: .seconds(1)),
            Pushback(), RetryBudget(), Hedge(),
        ]
        for policy in all {
            let renewed = policy.renewed(in: place)
            #expect(renewed !== policy)
            #expect(renewed.isIdle)
        }
        #expect(RetryBudget.unlimited.renewed(in: place) === RetryBudget.unlimited)
    }

    @Test func withoutAClientTooEachOriginHasItsOwn() throws {
        let breakers = PerOrigin<CircuitBreaker>.perOrigin(CircuitBreaker())
        let (first, second) = (try origin(down), try origin(up))
        #expect(breakers.policy(of: first) === breakers.policy(of: first))
        #expect(breakers.policy(of: first) !== breakers.policy(of: second))
    }

    /// All hosts of a shop share a breaker; the others have one of their own.
    private struct Shops: OriginPolicy {
        let shop = CircuitBreaker(named: "shop")
        let others = CircuitBreaker(named: "others")

        func policy(of origin: HTTPOrigin?) -> CircuitBreaker {
            origin?.host.hasSuffix("shop.example") == true ? shop : others
        }
    }

    @Test func aTypeOfYourOwnChooses() throws {
        let shops = Shops()
        let client = client { $0.circuitBreaker = shops }
        let host = try origin(try #require(URL(string: "https://a.shop.example")))
        #expect(client.origins[host].circuitBreaker === shops.shop)
        #expect(client.origins[try origin(up)].circuitBreaker === shops.others)
    }

    @Test func withoutAnOriginTooAPlainHedgeHasItsOwnBudget() throws {
        let hedge = Hedge(after: .zero, maxExtraLoad: 1, on: scheduler)
        let client = client { $0.hedge = hedge }
        #expect(client.hedge?.policy(of: nil) === hedge)
    }
}
