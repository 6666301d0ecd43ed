import Dispatch
import PledgeFutures
import TestSupport
import Testing

/// An error that can be compared.
struct Offline: Error, Hashable {
    var host = "shop"
}

typealias Number = Loadable<Int, Offline>

/// Each of the states, with a value and without.
let everyNumber: [Number] = [
    .idle, .loading(), .loading(previous: 1), .loaded(2), .loaded(3, stale: true),
    .failed(Offline()), .failed(Offline(host: "other"), previous: 4),
]

@Suite struct LoadableTests {
    @Test func eachStateOfALoadableSaysWhichValueAndErrorAreKnown() {
        #expect(everyNumber.map(\.value) == [nil, nil, 1, 2, 3, nil, 4])
        #expect(
            everyNumber.map(\.error)
                == [nil, nil, nil, nil, nil, Offline(), Offline(host: "other")])
        #expect(everyNumber.map(\.isLoading) == [false, true, true, false, false, false, false])
        #expect(everyNumber.map(\.isStale) == [false, false, true, false, true, false, true])
    }

    @Test func eachStateOfALoadableEqualsOnlyItself() {
        for (index, one) in everyNumber.enumerated() {
            #expect(everyNumber.indices.filter { everyNumber[$0] == one } == [index])
        }
        #expect(Set(everyNumber).count == everyNumber.count)
    }

    @Test func mapOfALoadableKeepsTheStateAndChangesEveryValue() {
        #expect(
            everyNumber.map { $0.map { "\($0)" } } == [
                .idle, .loading(), .loading(previous: "1"), .loaded("2"),
                .loaded("3", stale: true), .failed(Offline()),
                .failed(Offline(host: "other"), previous: "4"),
            ])
    }

    @Test func mapOfALoadableFollowsItsLaws() {
        for number in everyNumber {
            #expect(number.map { $0 } == number)
            #expect(number.map { $0 + 1 }.map { $0 * 2 } == number.map { ($0 + 1) * 2 })
        }
    }

    @Test func mapOfALoadableThrowsWhatItsFunctionThrows() {
        for number in everyNumber where number.value != nil {
            #expect(throws: Offline()) { try number.map { _ in throw Offline() } }
        }
    }

    @Test func mapErrorOfALoadableChangesNothingButTheError() {
        for number in everyNumber {
            let mapped = number.mapError(\.host)
            #expect(mapped.value == number.value)
            #expect(mapped.error == number.error?.host)
            #expect(mapped.isLoading == number.isLoading)
            #expect(mapped.isStale == number.isStale)
        }
    }
}

@Suite struct LoadableStepsTests {
    private func after(_ step: (inout Number) -> Void) -> [Number] {
        everyNumber.map { number in
            var number = number
            step(&number)
            return number
        }
    }

    @Test func aLoadableThatStartsLoadingKeepsItsValue() {
        #expect(after { $0.startLoading() } == everyNumber.map { .loading(previous: $0.value) })
    }

    @Test func aLoadableThatReceivesAValueIsLoadedFromAnyState() {
        #expect(
            after { $0.finishLoading(with: .success(9)) }
                == everyNumber.map { _ in .loaded(9, stale: false) })
    }

    @Test func aLoadableThatFailsKeepsItsValue() {
        #expect(
            after { $0.finishLoading(with: .failure(Offline())) }
                == everyNumber.map { .failed(Offline(), previous: $0.value) })
    }

    @Test func invalidatingALoadableMakesOnlyLoadedValuesStale() {
        #expect(
            after { $0.invalidate() } == [
                .idle, .loading(), .loading(previous: 1), .loaded(2, stale: true),
                .loaded(3, stale: true), .failed(Offline()),
                .failed(Offline(host: "other"), previous: 4),
            ])
    }

    @Test func cancellingTheLoadingOfALoadableGoesBackToItsValue() {
        #expect(
            after { $0.cancelLoading() } == [
                .idle, .idle, .loaded(1, stale: true), .loaded(2), .loaded(3, stale: true),
                .failed(Offline()), .failed(Offline(host: "other"), previous: 4),
            ])
    }

    @Test func resettingALoadableForgetsItsValue() {
        #expect(after { $0.reset() } == everyNumber.map { _ in .idle })
    }

    @Test func aLoadableMadeOfAResultIsLoadedOrFailed() {
        #expect(Number(.success(1), previous: 2) == .loaded(1))
        #expect(Number(.failure(Offline()), previous: 2) == .failed(Offline(), previous: 2))
    }
}

@Suite struct LoadableZipTests {
    @Test func aZipOfLoadablesIsInOneStateForEveryPair() {
        for one in everyNumber {
            for other in everyNumber {
                let both = zip(one, other)
                let error = one.error ?? other.error
                #expect(both.error == error)
                #expect(both.isLoading == (error == nil && (one.isLoading || other.isLoading)))
                #expect((both.value == nil) == (one.value == nil || other.value == nil))
                #expect(both.value?.0 == both.value.flatMap { _ in one.value })
                #expect(both.value?.1 == both.value.flatMap { _ in other.value })
                let method = one.zip(other)
                #expect(method.map { [$0, $1] } == both.map { [$0, $1] })
            }
        }
    }

    @Test func aZipIsLoadedOnlyIfAllAreLoaded() {
        let fresh = Number.loaded(1).zip(Number.loaded(2)).map { $0 + $1 }
        let stale = Number.loaded(1).zip(Number.loaded(2, stale: true)).map { $0 + $1 }
        #expect(fresh == .loaded(3))
        #expect(stale == .loaded(3, stale: true))
        let first = Number.loaded(1, stale: true).zip(Number.loaded(2)).map { $0 + $1 }
        #expect(first == .loaded(3, stale: true))
        #expect(Number.loaded(1).zip(Number.idle).map { $0 + $1 } == .idle)
        #expect(Number.idle.zip(Number.loading()).map { $0 + $1 } == .loading())
    }

    @Test func aZipKeepsWhatIsKnownOfAll() {
        let loading = Number.loading(previous: 1).zip(Number.loaded(2)).map { $0 + $1 }
        #expect(loading == .loading(previous: 3))
        let failed = Number.failed(Offline(), previous: 1).zip(Number.loading(previous: 2))
        #expect(failed.map { $0 + $1 } == .failed(Offline(), previous: 3))
    }

    @Test func aZipTakesAnyNumberOfTypes() {
        let name = Loadable<String, Offline>.loaded("a")
        let three = zip(name, Number.loaded(1), Loadable<Bool, Offline>.loaded(true))
        let values = three.value
        #expect(values?.0 == "a")
        #expect(values?.1 == 1)
        #expect(values?.2 == true)
    }
}

@Suite(.oneAtATime) struct FutureLoadableTests {
    @Test func aFutureDrivesALoadable() {
        let promise = Promise<Int>()
        let seen = TestLog<String>()
        promise.observeLoading(seen.add)
        #expect(seen.elements == ["loading(previous: nil)"])
        promise.resolve(with: 7)
        #expect(seen.elements == ["loading(previous: nil)", "loaded(7, stale: false)"])
    }

    @Test func theFailureOfAFutureKeepsWhatWasKnown() {
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

    @Test func cancellingAFutureThatLoadsGoesBackToWhatWasKnown() {
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
