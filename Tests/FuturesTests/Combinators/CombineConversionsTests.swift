#if canImport(Combine)
import Combine
import PledgeFutures
import Testing

/// On Linux these run in the package Tests/Combine, over OpenCombine.
@Suite struct FutureCombineTests {
    private struct Broken: Error {}

    /// Counts how many of the objects that it has made are alive.
    private final class Census {
        final class Member {
            let census: Census
            init(_ census: Census) {
                self.census = census
                census.alive += 1
            }
            deinit { census.alive -= 1 }
        }

        var alive = 0

        /// The same values, by a publisher that keeps a new object.
        func counting<Upstream: Publisher>(
            _ publisher: Upstream
        ) -> some Publisher<Upstream.Output, Upstream.Failure> {
            let member = Member(self)
            return publisher.map { value in withExtendedLifetime(member) { value } }
        }
    }

    private let census = Census()

    @Test func aFutureHasItsPublishersFirstValue() throws {
        let subject = PassthroughSubject<Int, Broken>()
        let future = subject.firstValue()
        #expect(future.result == nil)
        subject.send(1)
        subject.send(2)
        #expect(try future.result?.get() == 1)
        #expect(try Just(3).firstValue().result?.get() == 3)
    }

    @Test func aFutureHasItsPublishersFailure() {
        let future = Fail<Int, Broken>(error: Broken()).firstValue()
        #expect(throws: Broken.self) { try future.result?.get() }
    }

    @Test func aPublisherThatEndsWithoutAValueIsAbandoned() {
        let subject = PassthroughSubject<Int, Never>()
        for future in [Empty<Int, Never>().firstValue(), subject.firstValue()] {
            subject.send(completion: .finished)
            let error = #expect(throws: FutureError.self) { try future.result?.get() }
            #expect(error?.code == .abandoned)
        }
    }

    /// Nobody keeps the subscriber any more, so no value can come.
    @Test func aPublisherThatDropsItsSubscriberIsAbandoned() {
        for _ in 0..<10 {
            let future = census.counting(Empty<Int, Never>(completeImmediately: false)).firstValue()
            let error = #expect(throws: FutureError.self) { try future.result?.get() }
            #expect(error?.code == .abandoned)
        }
        #expect(census.alive == 0)
    }

    @Test func cancellingAFutureOfAPublisherCancelsItsSubscription() {
        let subject = PassthroughSubject<Int, Never>()
        var cancelled = 0
        let future = subject.handleEvents(receiveCancel: { cancelled += 1 }).firstValue()
        future.cancel()
        #expect(cancelled == 1)
        #expect(throws: CancellationError.self) { try future.result?.get() }
    }

    @Test func aPublisherThatHasEndedKeepsNoSubscription() {
        let subject = PassthroughSubject<Int, Broken>()
        let ends: [() -> Void] = [
            { subject.send(1) }, { subject.send(completion: .finished) },
            { subject.send(completion: .failure(Broken())) },
        ]
        for end in ends {
            for _ in 0..<10 { _ = census.counting(subject).firstValue().map { $0 } }
            end()
            #expect(census.alive == 0)
        }
    }

    @Test func aCancelledFutureKeepsNoSubscription() {
        let subject = PassthroughSubject<Int, Never>()
        for _ in 0..<10 { census.counting(subject).firstValue().cancel() }
        #expect(census.alive == 0)
    }

    @Test func aFuturesPublisherHasItsValueOrItsError() {
        var seen: [String] = []
        let (good, bad) = (Promise<Int>(), Promise<Int>())
        let sinks = [good, bad].map { promise in
            promise.publisher.sink(
                receiveCompletion: {
                    if case .failure(let error) = $0 { seen.append("\(type(of: error))") }
                }, receiveValue: { seen.append("\($0)") })
        }
        good.resolve(with: 7)
        bad.reject(with: Broken())
        withExtendedLifetime(sinks) { #expect(seen == ["7", "Broken"]) }
    }

    @Test func aCancelledSubscriberGivesUpItsInterest() {
        let promise = Promise<Int>()
        var cancelled = 0
        nonisolated(unsafe) let count = { cancelled += 1 }
        promise.onCancel { count() }
        promise.publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
        #expect(cancelled == 1)
    }

    @Test func aFuturesPublisherKeepsNoSubscriptionOnceOver() {
        for isCancelled in [false, true] {
            let promise = Promise<Int>()
            let sinks = (0..<10).map { _ in
                census.counting(promise.publisher)
                    .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            }
            if isCancelled {
                for sink in sinks { sink.cancel() }
            } else {
                promise.resolve(with: 1)
            }
            withExtendedLifetime(sinks) { #expect(census.alive == 0) }
        }
    }
}
#endif
