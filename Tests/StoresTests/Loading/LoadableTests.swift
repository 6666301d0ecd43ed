import PledgeStores
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
    @Test func whatIsKnown() {
        #expect(everyNumber.map(\.value) == [nil, nil, 1, 2, 3, nil, 4])
        #expect(
            everyNumber.map(\.error)
                == [nil, nil, nil, nil, nil, Offline(), Offline(host: "other")])
        #expect(everyNumber.map(\.isLoading) == [false, true, true, false, false, false, false])
        #expect(everyNumber.map(\.isStale) == [false, false, true, false, true, false, true])
    }

    @Test func statesAreEqualOnlyToThemselves() {
        for (index, one) in everyNumber.enumerated() {
            #expect(everyNumber.indices.filter { everyNumber[$0] == one } == [index])
        }
        #expect(Set(everyNumber).count == everyNumber.count)
    }

    @Test func mapKeepsTheStateAndChangesEveryValue() {
        #expect(
            everyNumber.map { $0.map { "\($0)" } } == [
                .idle, .loading(), .loading(previous: "1"), .loaded("2"),
                .loaded("3", stale: true), .failed(Offline()),
                .failed(Offline(host: "other"), previous: "4"),
            ])
    }

    @Test func mapFollowsItsLaws() {
        for number in everyNumber {
            #expect(number.map { $0 } == number)
            #expect(number.map { $0 + 1 }.map { $0 * 2 } == number.map { ($0 + 1) * 2 })
        }
    }

    @Test func mapThrowsWhatItsFunctionThrows() {
        for number in everyNumber where number.value != nil {
            #expect(throws: Offline()) { try number.map { _ in throw Offline() } }
        }
    }

    @Test func mapErrorChangesNothingElse() {
        for number in everyNumber {
            let mapped = number.mapError(\.host)
            #expect(mapped.value == number.value)
            #expect(mapped.error == number.error?.host)
            #expect(mapped.isLoading == number.isLoading)
            #expect(mapped.isStale == number.isStale)
        }
    }
}
