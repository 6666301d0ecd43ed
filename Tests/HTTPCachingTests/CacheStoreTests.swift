import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// A cache over a store that is slow, or fails.
@Suite struct CacheStoreTests {
    /// A store that does its work in order, when the test allows it.
    final class SlowStore: CacheStore {
        let memory = MemoryCacheStore()
        private let waiting = Locked<[@Sendable () -> Void]>([])

        /// How much work waits.
        var count: Int { waiting.withLock { $0.count } }

        /// Does the work that was requested so far, and its consequences.
        func work() {
            while true {
                let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                guard let next else { return }
                next()
            }
        }

        private func later<Value: Sendable>(
            _ body: @escaping @Sendable () -> Future<Value>
        ) -> Future<Value> {
            let gate = Promise<Void>()
            waiting.withLock { $0.append { gate.resolve() } }
            return gate.flatMap { body() }
        }

        func responses(for key: CacheKey) -> Future<[CachedResponse]> {
            later { self.memory.responses(for: key) }
        }

        func update(
            _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
        ) -> Future<Void> {
            later { self.memory.update(key, change) }
        }

        func removeAll() -> Future<Void> { later { self.memory.removeAll() } }
        func usage() -> Future<CacheUsage> { memory.usage() }
    }

    /// A store that fails at everything.
    struct BrokenStore: CacheStore {
        struct Broken: Error {}

        func responses(for key: CacheKey) -> Future<[CachedResponse]> { Future(error: Broken()) }
        func update(
            _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
        ) -> Future<Void> { Future(error: Broken()) }
        func removeAll() -> Future<Void> { Future(error: Broken()) }
        func usage() -> Future<CacheUsage> { Future(error: Broken()) }
    }

    /// A store that finds only while it writes that it can't.
    struct LateStore: CacheStore {
        let written = Promise<Void>()

        func responses(for key: CacheKey) -> Future<[CachedResponse]> { Future(value: []) }
        func update(
            _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
        ) -> Future<Void> { written }
        func removeAll() -> Future<Void> { written }
        func usage() -> Future<CacheUsage> { Future(value: CacheUsage(count: 0, bytes: 0)) }
    }

    @Test("a call whose response couldn't be written says so, even after its end")
    func aCallWhoseResponseCouldNotBeWrittenSaysSo() throws {
        let (store, notes) = (LateStore(), Locked<[String]>([]))
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let service = stack(
            .observed(by: observer, on: bench.scheduler),
            .cache(sharing: HTTPCache(in: store, on: bench.scheduler)), over: bench.origin)
        bench.answers(fresh)
        #expect(try service(request()).result?.get().status == 200)
        #expect(notes.withLock { $0 } == [])
        store.written.reject(with: BrokenStore.Broken())
        #expect(notes.withLock { $0 } == ["the store failed: going on without it"])
    }

    private let bench = CacheBench()
    private let store = SlowStore()
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=100"]

    private func request(_ method: HTTPMethod = .get) -> HTTPRequest {
        HTTPRequest(method, URL(string: "https://example.com/")!)
    }

    private func text(_ future: Future<HTTPResponse>) -> String? { try? future.result?.get().text }

    @Test func aSlowStoreIsAwaitedOnTheWayThereOnly() {
        let cache = HTTPCache(in: store, on: bench.scheduler)
        let service = stack(.cache(sharing: cache), over: bench.origin)
        bench.answers(fresh)
        let first = service(request())
        #expect(bench.requests.isEmpty)
        store.work()
        #expect(text(first) == "1")
        let second = service(request())
        store.work()
        #expect(text(second) == "1" && bench.requests.count == 1)
        #expect(cache.calls.withLock { $0.count } == 0)
    }

    @Test func whatWasMadeOutOfDateIsNotReadEvenIfTheStoreIsSlow() {
        let service = stack(
            .cache(sharing: HTTPCache(in: store, on: bench.scheduler)), over: bench.origin)
        bench.answers(fresh)
        _ = service(request())
        store.work()
        _ = service(request(.post))
        let after = service(request())
        store.work()
        #expect(text(after) == "3")
    }

    @Test func whatIsOnItsWayIntoASlowStoreIsMadeOutOfDate() {
        let service = stack(
            .cache(sharing: HTTPCache(in: store, on: bench.scheduler)), over: bench.origin)
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(), .init(headers: fresh))
        _ = service(request())
        store.work()
        gate.resolve()
        _ = service(request(.post))
        let after = service(request())
        store.work()
        #expect(text(after) == "3")
    }

    @Test func theContextIsKeptOverASlowStore() {
        let seen = Locked<Duration?>(nil)
        let cache = HTTPCache(in: store, on: bench.scheduler)
        let service = stack(
            .cache(sharing: cache),
            over: { [bench] request in
                seen.withLock { $0 = CallContext.current.remaining }
                return bench.origin(request)
            })
        bench.answers(fresh)
        let context = CallContext(deadline: CallDeadline(after: .seconds(5), on: bench.scheduler))
        _ = context.run { service(request()) }
        store.work()
        #expect(seen.withLock { $0 } == .seconds(5))
    }

    @Test("a store that never answers costs no answer, and one call a second asks it")
    func aStoreThatNeverAnswersCostsNoAnswer() throws {
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let cache = HTTPCache(
            in: store, storeTimeLimit: .milliseconds(300), on: bench.scheduler)
        let service = stack(
            .observed(by: observer, on: bench.scheduler), .cache(sharing: cache),
            over: bench.origin)
        bench.answers(fresh)
        let first = service(request())
        bench.scheduler.advance(by: .milliseconds(299))
        #expect(!first.isSettled && bench.requests.isEmpty)
        bench.scheduler.advance(by: .milliseconds(1))
        #expect(text(first) == "1")
        #expect((cache.storeError as? ServiceError)?.code == .timedOut)
        // The others don't wait for it.
        #expect(text(service(request())) == "2" && text(service(request())) == "3")
        // Nor does what they could store pile up; a removal is never left out.
        #expect(store.count == 1)
        #expect(text(service(request(.post))) == "4" && store.count == 2)
        bench.scheduler.advance(by: .seconds(1))
        let next = service(request())
        #expect(!next.isSettled && text(service(request())) == "5")
        #expect(notes.withLock { $0 } == ["the store failed: going on without it"])
        // It answers again.
        store.work()
        #expect(text(next) == "6" && cache.storeError == nil)
        store.work()
        let last = service(request())
        store.work()
        #expect(text(last) == "6")
        #expect(cache.calls.withLock { $0.count } == 0)
    }

    @Test func aBrokenStoreIsAnEmptyOne() {
        let cache = HTTPCache(in: BrokenStore(), on: bench.scheduler)
        let service = stack(.cache(sharing: cache), over: bench.origin)
        bench.answers(fresh)
        #expect([service(request()), service(request())].map(text) == ["1", "2"])
        #expect(text(service(request(.post))) == "3")
        #expect(cache.calls.withLock { $0.count } == 0)
    }
}
