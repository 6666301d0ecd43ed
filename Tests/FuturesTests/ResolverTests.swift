import PledgeFutures
import TestSupport
import Testing

@Suite struct ResolverTests {
    /// A producer that keeps the resolver that `make` passed to it.
    private final class Producer<Value: Sendable>: Sendable {
        private let resolver = Locked<Resolver<Value>?>(nil)

        func start(_ resolver: Resolver<Value>) { self.resolver.withLock { $0 = resolver } }
        var current: Resolver<Value>? { resolver.withLock { $0 } }
        func release() {
            // Released outside the lock: observers may call back into this object.
            let resolver = resolver.withLock { resolver -> Resolver<Value>? in
                defer { resolver = nil }
                return resolver
            }
            withExtendedLifetime(resolver) {}
        }
    }

    @Test func aResolverSettlesItsFuture() {
        let now = Future<Int>.make { resolver in resolver.resolve(with: 1) }
        #expect(now.valueNow == 1)
        let producer = Producer<Int>()
        let later = Future<Int>.make { producer.start($0) }
        #expect(later.result == nil)
        #expect(producer.current?.resolve(with: 2) == true)
        #expect(producer.current?.resolve(with: 3) == false)
        #expect(producer.current?.reject(with: TestError()) == false)
        producer.release()
        #expect(later.valueNow == 2)
    }

    @Test func aResolverRejectsItsFuture() {
        let future = Future<Int>.make { resolver in resolver.reject(with: TestError(number: 1)) }
        #expect(future.errorNow as? TestError == TestError(number: 1))
    }

    @Test func aResolverThatIsNeverKeptAbandonsItsFutureAtOnce() {
        let line: UInt = #line + 1
        let future = Future<Int>.make { _ in }
        #expect(future.codeNow == .abandoned)
        let error = future.errorNow as? FutureError
        #expect(error?.location?.line == line)
        #expect(error?.description.contains("\(#fileID):\(line)") == true)
    }

    @Test func aResolverReleasedLaterFailsWhoeverHoldsItsFuture() {
        let producer = Producer<Int>()
        let future = Future<Int>.make { producer.start($0) }
        let calls = TestLog<Int>()
        future.observe { _ in calls.append(1) }
        #expect(calls.elements.isEmpty)
        producer.release()
        #expect(future.codeNow == .abandoned)
        #expect(calls.elements == [1])
    }

    @Test func aCallbackThatIsDroppedReleasesItsResolver() {
        let callback = Locked<(@Sendable (Int) -> Void)?>(nil)
        let future = Future<Int>.make { resolver in
            callback.withLock { $0 = { resolver.resolve(with: $0) } }
        }
        let dropped = callback.withLock { callback in
            defer { callback = nil }
            return callback
        }
        #expect(future.result == nil)
        withExtendedLifetime(dropped) {}
        _ = consume dropped
        #expect(future.codeNow == .abandoned)
    }

    @Test func aResolverHearsOfTheCancellationOfItsFuture() {
        let producer = Producer<Int>()
        let heard = TestLog<Int>()
        let future = Future<Int>.make { resolver in
            producer.start(resolver)
            resolver.onCancel { heard.append(1) }
        }
        let (a, b) = (future.map { $0 }, future.map { $0 })
        a.cancel()
        #expect(heard.elements.isEmpty)
        b.cancel()
        #expect(heard.elements == [1])
        #expect(future.isCancelled)
        #expect(producer.current?.resolve(with: 1) == false)
        producer.current?.onCancel { heard.append(2) }
        #expect(heard.elements == [1, 2])
    }

    /// Unlike a future that derives from a promise, which is cancelled by its last waiter.
    @Test func aMadeFutureWithoutACancelHandlerGoesOnWhenItsObserverLeaves() {
        let (producer, promise) = (Producer<Int>(), Promise<Int>())
        let (made, derived) = (Future.make { producer.start($0) }, promise.map { $0 })
        for future in [made, derived] { future.observe { _ in }.cancel() }
        producer.current?.resolve(with: 1)
        promise.resolve(with: 1)
        #expect(made.valueNow == 1)
        #expect(derived.isCancelled)
    }

    /// The handler keeps the resolver until the future has settled, and no longer.
    @Test(arguments: [true, false])
    func aResolverKeptByItsOwnHandlerIsFreedWithTheResult(isCancelled: Bool) {
        weak var weakResolver: Resolver<Int>?
        weak var weakFuture: Future<Int>?
        do {
            let producer = Producer<Int>()
            let future = Future<Int>.make { resolver in
                weakResolver = resolver
                producer.start(resolver)
                resolver.onCancel { resolver.reject(with: TestError()) }
            }
            weakFuture = future
            if isCancelled {
                producer.release()
                #expect(future.result == nil)
                future.cancel()
                #expect(future.isCancelled)
            } else {
                producer.current?.resolve(with: 1)
                producer.release()
                #expect(future.valueNow == 1)
            }
            #expect(weakResolver == nil)
        }
        #expect(weakResolver == nil)
        #expect(weakFuture == nil)
    }
}
