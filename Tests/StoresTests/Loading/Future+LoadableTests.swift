import Dispatch
import Futures
import Stores
import Testing

@Suite struct FutureLoadableTests {
    /// The states as text, since `any Error` cannot be compared.
    final class Seen: Sendable {
        private let states = Locked<[String]>([])

        var texts: [String] { states.withLock { $0 } }

        func add(_ state: Loadable<Int, any Error>) { states.withLock { $0.append("\(state)") } }
    }

    @Test func aFutureDrivesALoadable() {
        let promise = Promise<Int>()
        let seen = Seen()
        promise.observeLoading(seen.add)
        #expect(seen.texts == ["loading(previous: nil)"])
        promise.resolve(with: 7)
        #expect(seen.texts == ["loading(previous: nil)", "loaded(7, stale: false)"])
    }

    @Test func aFailureKeepsWhatWasKnown() {
        let promise = Promise<Int>()
        let seen = Seen()
        promise.observeLoading(after: .loaded(3), seen.add)
        promise.reject(with: Offline(host: "x"))
        #expect(seen.texts.count == 2)
        #expect(seen.texts.first == "loading(previous: Optional(3))")
        #expect(seen.texts.last?.hasPrefix("failed(") == true)
        #expect(seen.texts.last?.hasSuffix("previous: Optional(3))") == true)
    }

    @Test func aSettledFutureIsNeverLoading() {
        let seen = Seen()
        Future(value: 1).observeLoading(seen.add)
        #expect(seen.texts == ["loaded(1, stale: false)"])
    }

    @Test func aQueueIsToldOfEachStateInOrder() {
        let promise = Promise<Int>()
        let seen = Seen()
        let queue = DispatchQueue(label: "loading")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        queue.suspend()
        promise.observeLoading(on: queue, after: .loaded(3)) { state in
            if DispatchQueue.getSpecific(key: key) == true { seen.add(state) }
        }
        promise.resolve(with: 7)
        #expect(seen.texts == [])
        queue.resume()
        queue.sync {}
        #expect(seen.texts == ["loading(previous: Optional(3))", "loaded(7, stale: false)"])
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
        let seen = Seen()
        promise.observeLoading(after: .loaded(3), seen.add)
        promise.cancel()
        #expect(seen.texts.last == "loaded(3, stale: true)")
        let fresh = Seen()
        Future<Int>(error: CancellationError()).observeLoading(fresh.add)
        #expect(fresh.texts == ["idle"])
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
