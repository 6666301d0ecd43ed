import Futures
import TestSupport
import Testing

/// Futures derived from a promise that rejects nothing when it is released.
@Suite(.oneAtATime) struct SilentPromiseTests {
    @Test("what derives from what derives is freed, with what its closures hold")
    func aChainIsFreed() {
        let census = Census()
        var promise: Promise<Int>? = Promise(rejectsWhenReleased: false)
        do {
            let token = Tracked(census)
            promise?.map { $0 }.map { $0 }.observe { [token] _ in token.use() }
            promise?.shielded().observe { [token] _ in token.use() }
            if let promise { Future.all([promise]).observe { [token] _ in token.use() } }
        }
        #expect(census.living == 1)
        promise = nil
        #expect(census.living == 0)
    }

    @Test("closures are freed at once, also of a future or an observation that somebody holds")
    func closuresAreFreed() {
        let (census, calls) = (Census(), TestLog<Int>())
        var promise: Promise<Int>? = Promise(rejectsWhenReleased: false)
        var held: [Any?] = []
        do {
            let token = Tracked(census)
            held.append(promise?.map { [token] _ in token.use() })
            held.append(promise?.flatMap { [token] _ in Future(value: token.number) })
            held.append(promise?.observation { [token] _ in token.use() })
            held.append(
                promise?.always { [token] in
                    token.use()
                    calls.append(1)
                })
        }
        #expect(census.living == 1)
        promise = nil
        #expect(census.living == 0)
        #expect(held.count == 4 && calls.elements.isEmpty)
    }

    @Test func theEndOfAChainCanStillBeCancelled() {
        var promise: Promise<Int>? = Promise(rejectsWhenReleased: false)
        let end = promise?.map { $0 }.map { $0 }
        let other = promise.map { Future.all([$0]).map { $0.count } }
        promise = nil
        // Objects of the same size, which take the place of those that were freed.
        let promises = (0..<100).map { _ in Promise<Int>() }
        let futures = promises.map { $0.map { $0 } }
        end?.cancel()
        other?.cancel()
        #expect(end?.isCancelled == true && other?.isCancelled == true)
        for promise in promises { promise.resolve(with: 1) }
        #expect(futures.allSatisfy { $0.valueNow == 1 })
    }

    @Test("a promise that follows one which is released in silence is freed")
    func aFollowerIsFreed() {
        let census = Census()
        var followed: Promise<Int>? = Promise(rejectsWhenReleased: false)
        do {
            let (token, follower) = (Tracked(census), Promise<Int>())
            follower.onCancel { [token] in token.use() }
            if let followed { follower.follow(followed) }
        }
        #expect(census.living == 1)
        followed = nil
        #expect(census.living == 0)
    }

    @Test("silent promises that hold one another, or aggregates over aggregates, need no stack")
    func nested() {
        let census = Census()
        onSmallThread {
            var head: Promise<Int>?
            for _ in 0..<min(depth(), 100_000) {
                let (promise, before) = (Promise<Int>(rejectsWhenReleased: false), head)
                promise.observe { _ in before?.resolve(with: 1) }
                head = promise
            }
            head = nil
            var first: Promise<Int>? = Promise(rejectsWhenReleased: false)
            if let first {
                let token = Tracked(census)
                var last = Future.all([first]).map { [token] _ in token.number }
                for _ in 0..<min(depth(), 100_000) { last = Future.any([last]) }
            }
            first = nil
        }
        #expect(census.living == 0)
    }

    @Test("a canceller never looks at the memory of a promise that was released meanwhile")
    func releaseAgainstCancel() {
        for _ in 0..<20 {
            let promises = Locked<[Promise<Int>?]>(
                (0..<500).map { _ in Promise(rejectsWhenReleased: false) })
            let ends = promises.withLock { $0.map { $0?.map { $0 }.map { $0 } } }
            onThreads(2) { index in
                for round in 0..<500 {
                    if index == 0 {
                        promises.withLockThenRelease { promises in promises[round].take() }
                    } else {
                        ends[round]?.cancel()
                    }
                }
            }
            #expect(ends.allSatisfy { $0?.isCancelled == true })
        }
    }
}
