import PledgeStores
import Testing

@Suite struct LoadableStepsTests {
    private func after(_ step: (inout Number) -> Void) -> [Number] {
        everyNumber.map { number in
            var number = number
            step(&number)
            return number
        }
    }

    @Test func loadingKeepsWhatIsKnown() {
        #expect(after { $0.startLoading() } == everyNumber.map { .loading(previous: $0.value) })
    }

    @Test func aValueReplacesEverything() {
        #expect(
            after { $0.finishLoading(with: .success(9)) }
                == everyNumber.map { _ in .loaded(9, stale: false) })
    }

    @Test func aFailureKeepsWhatIsKnown() {
        #expect(
            after { $0.finishLoading(with: .failure(Offline())) }
                == everyNumber.map { .failed(Offline(), previous: $0.value) })
    }

    @Test func onlyWhatIsLoadedBecomesStale() {
        #expect(
            after { $0.invalidate() } == [
                .idle, .loading(), .loading(previous: 1), .loaded(2, stale: true),
                .loaded(3, stale: true), .failed(Offline()),
                .failed(Offline(host: "other"), previous: 4),
            ])
    }

    @Test func cancellingGoesBackToWhatWasKnown() {
        #expect(
            after { $0.cancelLoading() } == [
                .idle, .idle, .loaded(1, stale: true), .loaded(2), .loaded(3, stale: true),
                .failed(Offline()), .failed(Offline(host: "other"), previous: 4),
            ])
    }

    @Test func resettingForgets() {
        #expect(after { $0.reset() } == everyNumber.map { _ in .idle })
    }

    @Test func aResultIsLoadedOrFailed() {
        #expect(Number(.success(1), previous: 2) == .loaded(1))
        #expect(Number(.failure(Offline()), previous: 2) == .failed(Offline(), previous: 2))
    }
}
