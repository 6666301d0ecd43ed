import PledgeStores
import Testing

@Suite struct LoadableZipTests {
    @Test func isInOneStateForEveryPair() {
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

    @Test func isLoadedOnlyOfLoadedOnes() {
        let fresh = Number.loaded(1).zip(Number.loaded(2)).map { $0 + $1 }
        let stale = Number.loaded(1).zip(Number.loaded(2, stale: true)).map { $0 + $1 }
        #expect(fresh == .loaded(3))
        #expect(stale == .loaded(3, stale: true))
        let first = Number.loaded(1, stale: true).zip(Number.loaded(2)).map { $0 + $1 }
        #expect(first == .loaded(3, stale: true))
        #expect(Number.loaded(1).zip(Number.idle).map { $0 + $1 } == .idle)
        #expect(Number.idle.zip(Number.loading()).map { $0 + $1 } == .loading())
    }

    @Test func keepsWhatIsKnownOfAll() {
        let loading = Number.loading(previous: 1).zip(Number.loaded(2)).map { $0 + $1 }
        #expect(loading == .loading(previous: 3))
        let failed = Number.failed(Offline(), previous: 1).zip(Number.loading(previous: 2))
        #expect(failed.map { $0 + $1 } == .failed(Offline(), previous: 3))
    }

    @Test func takesAnyNumberOfTypes() {
        let name = Loadable<String, Offline>.loaded("a")
        let three = zip(name, Number.loaded(1), Loadable<Bool, Offline>.loaded(true))
        let values = three.value
        #expect(values?.0 == "a")
        #expect(values?.1 == 1)
        #expect(values?.2 == true)
    }
}
