import PledgeFutures
import PledgeHTTPTransportKit
import Testing

struct IdleWatchesTests {
    private let scheduler = ManualScheduler()
    private let watches: IdleWatches

    init() { watches = IdleWatches(.seconds(10), on: scheduler) }

    /// Expects an exchange to end after some seconds, and not a second earlier.
    private func expectEnd(
        of watched: Watched, after time: Duration,
        at location: Testing.SourceLocation = #_sourceLocation
    ) {
        scheduler.advance(by: time - .seconds(1))
        #expect(watched.ends == 0, sourceLocation: location)
        scheduler.advance(by: .seconds(1))
        #expect(watched.ends == 1, sourceLocation: location)
    }

    @Test func anIdleWatchActsWhenNothingIsNoted() {
        let watched = Watched(by: watches)
        expectEnd(of: watched, after: .seconds(10))
    }

    @Test func anIdleWatchCountsFromWhatWasNotedLast() {
        let watched = Watched(by: watches)
        for _ in 0..<5 {
            scheduler.advance(by: .seconds(6))
            watched.note()
        }
        expectEnd(of: watched, after: .seconds(10))
    }

    @Test func anIdleWatchWaitsWhileNothingIsExpected() {
        let watched = Watched(by: watches)
        watched.expectNothing()
        scheduler.advance(by: .seconds(100))
        #expect(watched.ends == 0)
        watched.note()
        expectEnd(of: watched, after: .seconds(10))
    }

    @Test func idleWatchesWatchEachExchangeByItself() {
        let watched = (0..<20).map { _ in
            scheduler.advance(by: .milliseconds(500))
            return Watched(by: watches)
        }
        // Ten seconds have passed: the first watch is due in half a second.
        for count in 0...20 {
            #expect(watched.map(\.ends) == (0..<20).map { $0 < count ? 1 : 0 })
            scheduler.advance(by: .milliseconds(500))
        }
    }

    @Test func anIdleWatchIsLateByAHundredthAtMost() {
        let watched = (0..<500).map { index in
            let watched = Watched(by: watches)
            scheduler.advance(by: .milliseconds(index % 7))
            return watched
        }
        scheduler.advance(by: .milliseconds(10_100))
        #expect(watched.allSatisfy { $0.ends == 1 })
    }

    @Test func idleWatchesForgetWhatHasEnded() {
        let watched = Watched(by: watches)
        scheduler.advance(by: .seconds(5))
        watched.end()
        scheduler.advance(by: .seconds(100))
        #expect(watched.ends == 0)
        #expect(scheduler.isIdle)
        let released = {
            let watched = Watched(by: watches, endsAtOnce: true)
            return { [weak watched] in watched == nil }
        }()
        #expect(released())
    }

    @Test func oneTimerDoesForAllIdleWatches() {
        let counting = CountingScheduler(scheduler)
        let watches = IdleWatches(.seconds(10), on: counting)
        let ended = (0..<100).map { _ in Watched(by: watches, endsAtOnce: true) }
        let watched = Watched(by: watches)
        scheduler.advance(by: .seconds(10))
        #expect(counting.scheduled == 1)
        #expect(watched.ends == 1)
        #expect(ended.allSatisfy { $0.ends == 0 })
        #expect(scheduler.isIdle)
    }
}

/// A watched object that counts how often it is ended.
private final class Watched: IdleWatched {
    private let watches: IdleWatches
    private let state = Locked<(sign: SchedulerInstant?, ends: Int, place: Int?)>((nil, 0, nil))

    init(by watches: IdleWatches, endsAtOnce: Bool = false) {
        self.watches = watches
        note()
        let place = watches.add(self)
        state.withLock { $0.place = place }
        if endsAtOnce { end() }
    }

    var ends: Int { state.withLock { $0.ends } }

    var lastSign: SchedulerInstant? { state.withLock { $0.sign } }

    func note() {
        let now = watches.scheduler.now
        state.withLock { $0.sign = now }
    }

    func expectNothing() { state.withLock { $0.sign = nil } }

    func timeOut() {
        state.withLock { $0.ends += 1 }
        end()
    }

    func end() {
        let place = state.withLock { $0.place.take() }
        if let place { watches.remove(place) }
    }
}

private final class CountingScheduler: FutureScheduler {
    private let scheduler: ManualScheduler
    private let count = Locked(0)

    init(_ scheduler: ManualScheduler) { self.scheduler = scheduler }

    var scheduled: Int { count.withLock { $0 } }

    var now: SchedulerInstant { scheduler.now }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        count.withLock { $0 += 1 }
        return scheduler.schedule(after: delay, action)
    }
}
