// snippet: imports
import Foundation
import Pledge
import PledgeTraffic
// end snippet
import Testing

/// The code of Docs/Guides/ManyMachines.md.
@Suite struct ManyMachinesExamples {
    @Test func first() {
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        // snippet: first
        let scheduler = ManualScheduler()
        let store = MemoryPolicyStore(on: scheduler)

        func machine(_ name: String) -> Service<Int, String> {
            let limiter = RateLimiter(
                rate: 2, per: .seconds(1), burst: 2, maxWait: .zero,
                shared: SharedState("shop", in: store), on: scheduler)
            return stack(
                .rateLimit(sharing: limiter), over: { Future(value: "\(name) sent \($0)") })
        }

        let (one, two) = (machine("one"), machine("two"))
        for call in [one(1), two(2), two(3)] { call.observe { print($0) } }
        // end snippet
        #expect(
            lines.lines == [
                "success(\"one sent 1\")",
                "success(\"two sent 2\")",
                "failure(rateLimit: refused: the rate is exceeded; call again in 0.5 seconds)",
            ])
    }

    @Test func client() async throws {
        let store = MemoryPolicyStore()
        // snippet: client
        let server: HTTPService = { _ in Future(value: HTTPResponse(status: 200)) }
        let shop = SharedState("shop", in: store)
        var client = HTTPClient(base: URL(string: "https://shop.example.com")!, over: server)
        client.rateLimit = RateLimiter(rate: 100, per: .seconds(60), burst: 20, shared: shop)
        client.retryBudget = RetryBudget(shared: shop)
        // end snippet
        // snippet: origins
        client.rateLimit = .perOrigin { origin in
            let name = origin?.description ?? "none"
            return RateLimiter(
                rate: 100, per: .seconds(60), shared: SharedState(name, in: store))
        }
        // end snippet
        try await client.get("/orders")
        let bucket = BucketRequest(
            0, from: "https://shop.example.com:443:rateLimit", capacity: 1, tokensPerSecond: 0,
            overdraft: 9, lifetime: .seconds(1))
        #expect(try await store.takeTokens(bucket).value.level < 1)
    }

    @Test func memo() async throws {
        let store = MemoryPolicyStore()
        let asked = ExampleLog()
        let print: @Sendable (Any) -> Void = { asked.add("\($0)") }
        // snippet: memo
        struct Product: Codable, Sendable {
            var id: Int
            var name: String
        }

        let loadProduct: Service<Int, Product> = { id in
            print("asked for product \(id)")
            return Future(value: Product(id: id, name: "iPad Pro"))
        }
        let products = SharedMemo<Product>(
            timeToLive: .seconds(300), shared: SharedState("product", in: store),
            encode: { Array(try JSONEncoder().encode($0)) },
            decode: { try JSONDecoder().decode(Product.self, from: Data($0)) })
        let local = Memo<Int, Product>(timeToLive: .seconds(5))
        let load = stack(
            .memoize(sharing: local), .coalesce(),
            .memoize(by: { "\($0)" }, sharing: products), over: loadProduct)
        // end snippet
        #expect(try await load(7).value.name == "iPad Pro")
        let other = stack(.memoize(by: { "\($0)" }, sharing: products), over: loadProduct)
        #expect(try await other(7).value.name == "iPad Pro")
        #expect(asked.lines == ["asked for product 7"])
    }

    @Test func closed() {
        struct Lost: Error {}
        struct LostStore: PolicyStore {
            func takeTokens(_ request: BucketRequest) -> Future<BucketGrant> {
                Future(error: Lost())
            }
            func value(for key: String) -> Future<[UInt8]?> { Future(error: Lost()) }
            func set(_ value: [UInt8]?, for key: String, lifetime: Duration) -> Future<Void> {
                Future(error: Lost())
            }
        }
        let store = LostStore()
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        // snippet: closed
        let send: Service<Int, String> = { _ in Future(value: "sent") }
        let quota = SharedState(
            "quota", in: store, failing: .closed, timeLimit: .milliseconds(20))
        let limiter = RateLimiter(rate: 2, per: .seconds(1), shared: quota)
        let pay = stack(.rateLimit(sharing: limiter), over: send)

        pay(1).observe { result in
            guard case .failure(let error as ServiceError) = result else { return }
            if error.code == .storeFailed { print("not sent: \(error.cause!)") }
        }
        // end snippet
        #expect(lines.lines == ["not sent: Lost()"])
        #expect(quota.storeError is Lost)
    }
}
