import Pledge
import PledgeSimulation

/// A client with some settings, or none.
struct ShippedVariant: Sendable {
    let name: String
    /// Changes the slots of a client that `HTTPClient(base:over:)` has made.
    let change: @Sendable (inout HTTPClient) -> Void

    static let all = [shipped, withoutPolicies, dotNET, aws, withoutLeases]

    /// The shipped client, but each call holds its place in the bulkhead until it ends.
    static let withoutLeases = ShippedVariant(name: "without leases") { client in
        client.bulkhead = .perOrigin(Bulkhead(leaseTime: nil))
    }

    static let shipped = ShippedVariant(name: "as shipped") { _ in }

    static let withoutPolicies = ShippedVariant(name: "no policies") { client in
        client.retry = nil
        client.circuitBreaker = nil
        client.bulkhead = nil
        client.attemptTimeout = nil
        client.deadline = nil
    }

    /// The standard handler of Microsoft.Extensions.Http.Resilience: 1,000 calls at once, 30 s in all, 3 retries of
    /// attempts of 10 s.
    static let dotNET = ShippedVariant(name: ".NET's") { client in
        client.retry = .init(
            attempts: 4, backoff: .fullJitter(base: .seconds(2)))
        client.retryBudget = RetryBudget.unlimited
        client.circuitBreaker = nil
        client.bulkhead = .perOrigin(Bulkhead(limit: 1_000, queue: 0, leaseTime: nil))
        client.attemptTimeout = .seconds(10)
        client.deadline = .seconds(30)
    }

    /// The standard mode of the AWS SDKs: 3 attempts, 500 tokens of which a retry takes 5, and no limit of time.
    static let aws = ShippedVariant(name: "AWS SDK's") { client in
        client.retry = .init(
            attempts: 3, backoff: .fullJitter(base: .seconds(1)))
        client.retryBudget = .perOrigin(RetryBudget(capacity: 100, retriesPerSuccess: 0.2))
        client.circuitBreaker = nil
        client.bulkhead = nil
        client.attemptTimeout = nil
        client.deadline = nil
    }

    func service(
        in world: SimulatedWorld, over transport: @escaping Service<HTTPRequest, HTTPResponse>
    ) -> Service<SimulatedRequest, HTTPResponse> {
        var client = HTTPClient(base: Fleet.base, over: transport)
        client.scheduler = world.scheduler
        client.random = world.random
        change(&client)
        return { [client] in client.futures.send(Endpoint(path: "/\($0.number)")) }
    }
}
