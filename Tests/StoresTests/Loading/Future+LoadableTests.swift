import Dispatch
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureLoadableTests {
    @Test func aFutureDrivesALoadable() {
        let promise = Promise<Int>()
        let seen = TestLog<String>()
        promise.observeLoading(seen.add)
        #expect(seen.elements == ["loading(previous: nil)"])
        promise.resolve(with: 7)
        #expect(seen.elements == ["loading(previous: nil)", "loaded(7, stale: false)"])
    }

    @Test func aFailureKeepsWhatWasKnown() {
        let promise = Promise<Int>()
        let seen = TestLog<String>()
        promise.observeLoading(after: .loaded(3), seen.add)
        promise.reject(with: Offline(host: "x"))
        #expect(seen.elements.count == 2)
        #expect(seen.elements.first == "loading(previous: Optional(3))")
        #expect(seen.elements.last?.hasPrefix("failed(") == true)
        #expect(seen.elements.last?.hasSuffix("previous: Optional(3))") == true)
    }

    @Test func aSettledFutureIsNeverLoading() {
        let seen = TestLog<String>()
        Future(value: 1).observeLoading(seen.add)
        #expect(seen.elements == ["loaded(1, stale: false)"])
    }

    @Test func aQueueIsToldOfEachStateInOrder() {
        let promise = Promise<Int>()
        let seen = TestLog<String>()
        let queue = DispatchQueue(label: "loading")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        queue.suspend()
        promise.observeLoading(on: queue, after: .loaded(3)) { state in
            if DispatchQueue.getSpecific(key: key) == true { seen.add(state) }
        }
        promise.resolve(with: 7)
        #expect(seen.elements == [])
        queue.resume()
        queue.sync {}
        #expect(seen.elements == ["loading(previous: Optional(3))", "loaded(7, stale: false)"])
    }

    @Test @MainActor func theMainActorIsToldOfEachStateInOrder() async {
        let promise = Promise<Int>()
        var texts: [String] = []
        await withCheckedContinuation { continuation in
            promise.observeLoading(on: MainActor.shared) { state in
                texts.append("\(state)")
                if !state.isLoading { continuation.resume() }
            }
            promise.resolve(with: 7)
            #expect(texts == [])
        }
        #expect(texts == ["loading(previous: nil)", "loaded(7, stale: false)"])
    }

    @Test func cancellingGoesBack() {
        let promise = Promise<Int>()
        let seen = TestLog<String>()
        promise.observeLoading(after: .loaded(3), seen.add)
        promise.cancel()
        #expect(seen.elements.last == "loaded(3, stale: true)")
        let fresh = TestLog<String>()
        Future<Int>(error: CancellationError()).observeLoading(fresh.add)
        #expect(fresh.elements == ["idle"])
    }

    @Test func aFutureNowIsALoadable() {
        let promise = Promise<Int>()
        #expect(Loadable(promise).isLoading)
        #expect(Loadable(promise, after: .loaded(2)).value == 2)
        promise.resolve(with: 5)
        #expect(Loadable(promise, after: .loaded(2)).value == 5)
        #expect(Loadable(Future<Int>(error: Offline())).error is Offline)
    }
}

extension TestLog<String> {
    /// Keeps a state as text, since `any Error` cannot be compared.
    @Sendable fileprivate func add(_ state: Loadable<Int, any Error>) { append("\(state)") }
}
