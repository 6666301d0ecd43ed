// snippet: imports
import Pledge
import PledgeTesting
import Synchronization
import Testing

// end snippet
// swift-format-ignore: OrderedImports
import PledgeObservation

/// The code of Docs/Guides/Resilience.md, but that of the wrong orders.
@Suite struct ResilienceExamples {
    // snippet: busy
    struct Busy: Error {}
    // end snippet

    // snippet: product
    struct Product: Equatable, Sendable {
        var id: Int
        var isStale = false

        /// A substitute is no answer: it is not to be kept.
        static let fresh = Classifier<Product> { result in
            if case .success(let product) = result, product.isStale { return .ignorable }
            return Classifier.standard(result)
        }
    }
    // end snippet

    // snippet: stack
    /// What all stacks that load from the shop share.
    struct Shop: Sendable {
        let budget: RetryBudget
        let places: Bulkhead
        let breaker: CircuitBreaker

        init(on scheduler: some FutureScheduler = .live) {
            budget = RetryBudget()
            places = Bulkhead(
                limit: 64, queue: 20, queueTimeout: .seconds(1), leaseTime: nil, on: scheduler)
            breaker = CircuitBreaker(on: scheduler)
        }
    }

    /// A service with everything around it.
    func resilient(
        _ load: @escaping Service<Int, Product>, from shop: Shop, or kept: Product,
        observer: ServiceObserver, on scheduler: some FutureScheduler = .live,
        random: RandomSource = .system
    ) -> Service<Int, Product> {
        stack(
            .observed(by: observer, on: scheduler, named: { _ in "load product" }),
            .deadline(.seconds(10), on: scheduler),
            .memoize(
                sharing: Memo(timeToLive: .seconds(60), on: scheduler), classifier: Product.fresh),
            .coalesce(),
            .fallback(kept),
            .bulkhead(sharing: shop.places),
            .retry(budget: shop.budget, on: scheduler, random: random),
            .hedge(sharing: Hedge(after: .milliseconds(300), budget: shop.budget, on: scheduler)),
            .circuitBreaker(sharing: shop.breaker),
            .timeout(.seconds(2), on: scheduler),
            over: load)
    }
    // end snippet

    /// The number that a load is asked for is what it costs in milliseconds.
    private func loading(
        on scheduler: ManualScheduler, _ log: ExampleLog
    ) -> Service<Int, Product> {
        { id in
            log.add("asked")
            return Future(value: Product(id: id)).delay(.milliseconds(id), on: scheduler)
        }
    }

    @Test func theWholeStack() throws {
        let (scheduler, log, recorder) = (ManualScheduler(), ExampleLog(), CallRecorder())
        let shop = Shop(on: scheduler)
        let load = resilient(
            loading(on: scheduler, log), from: shop, or: Product(id: 0, isStale: true),
            observer: recorder.observer, on: scheduler)
        let (first, second) = (load(20), load(20))
        scheduler.run()
        #expect(try first.settledValue() == Product(id: 20))
        #expect(try second.settledValue() == Product(id: 20))
        #expect(try load(20).settledValue() == Product(id: 20))
        #expect(log.lines.count == 1)
        #expect(recorder.calls.count == 3)
        #expect(shop.places.inFlight == 0)
    }

    @Test func aSubstituteIsNotKept() throws {
        let (scheduler, log) = (ManualScheduler(), ExampleLog())
        let down: Service<Int, Product> = { _ in
            log.add("asked")
            return Future(error: Busy())
        }
        let kept = Product(id: 0, isStale: true)
        let load = resilient(
            down, from: Shop(on: scheduler), or: kept, observer: ServiceObserver { _ in },
            on: scheduler)
        for _ in 1...2 {
            let loaded = load(7)
            scheduler.advance(by: .seconds(1))
            #expect(try loaded.settledValue() == kept)
        }
        // Five failures opened the breaker; the substitute was not taken from the memo.
        #expect(log.lines.count == 5)
    }

    @Test func ownMiddleware() throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: own
        let load: Service<Int, Product> = { _ in Future(error: Busy()) }
        let logged = Middleware<Int, Product> { next in
            { id in next(id).onFailure { error in print("\(id): \(error)") } }
        }
        let loadLogged = stack(logged, .retry(Retry(attempts: 1)), over: load)
        // end snippet
        #expect(throws: Busy.self) { try loadLogged(7).settledValue() }
        #expect(log.lines == ["7: Busy()"])
    }

    @Test func ownMiddlewareThatWaits() throws {
        let scheduler = ManualScheduler()
        let load: Service<Int, Duration?> = { _ in Future(value: CallContext.current.remaining) }
        let loadLater = stack(
            .deadline(.seconds(10), on: scheduler), .delayed(by: .seconds(1), on: scheduler),
            over: load)
        let loaded = loadLater(7)
        scheduler.run()
        #expect(try loaded.settledValue() == .seconds(9))
    }

    @Test func composed() throws {
        let scheduler = ManualScheduler()
        let load: Service<Int, Product> = { id in Future(value: Product(id: id)) }
        // snippet: around
        let patient: Middleware<Int, Product> =
            .retry(on: scheduler).around(.timeout(.seconds(2), on: scheduler))
        let loadPatiently = patient(load)
        // end snippet
        #expect(try loadPatiently(7).settledValue() == Product(id: 7))
    }

    // snippet: test
    @Test func aBusyShopIsAskedAgain() throws {
        let scheduler = ManualScheduler()
        let asked = Mutex<[Duration]>([])
        let busyOnce: Service<Int, Product> = { id in
            asked.withLock { $0.append(scheduler.now.offset) }
            return CallContext.current.attempt == 1
                ? Future(error: Busy()) : Future(value: Product(id: id))
        }
        let load = resilient(
            busyOnce, from: Shop(on: scheduler), or: Product(id: 0, isStale: true),
            observer: ServiceObserver { _ in }, on: scheduler, random: .constant(0.5))

        let product = load(7)
        scheduler.advance(by: .milliseconds(49))
        #expect(asked.withLock { $0 } == [.zero])
        scheduler.advance(by: .milliseconds(1))
        #expect(asked.withLock { $0.last } == .milliseconds(50))  // half of the first backoff
        #expect(try product.settledValue() == Product(id: 7))
    }
    // end snippet
}

// snippet: later
extension Middleware {
    /// Holds each call back for a while.
    static func delayed(by delay: Duration, on scheduler: some FutureScheduler = .live) -> Self {
        Middleware { next in
            { input in Future(value: ()).delay(delay, on: scheduler).flatMap { next(input) } }
        }
    }
}
// end snippet
