import PledgeFutures
import PledgeServices
import Testing

@Suite struct MiddlewareTests {
    /// Logs its letter before and after the service runs.
    func noting(_ letter: String, in log: Locked<String>) -> Middleware<Int, Int> {
        Middleware { next in
            { input in
                log.withLock { $0 += letter }
                return next(input).always { log.withLock { $0 += letter.uppercased() } }
            }
        }
    }

    let log = Locked("")
    let double: Service<Int, Int> = { Future(value: $0 * 2) }

    @Test func isCallable() {
        #expect(noting("a", in: log)(double)(4).valueNow == 8)
        #expect(log.withLock { $0 } == "aA")
    }

    @Test func aroundComposesTwoIntoOne() {
        let both = noting("a", in: log).around(noting("b", in: log))
        #expect(both(double)(4).valueNow == 8)
        #expect(log.withLock { $0 } == "abBA")
    }

    @Test func aroundIsAssociativeAndPassThroughItsUnit() {
        let parts = ["a", "b", "c"].map { noting($0, in: log) }
        let compositions = [
            parts[0].around(parts[1]).around(parts[2]),
            parts[0].around(parts[1].around(parts[2])),
            Middleware.passThrough.around(Middleware(stacking: parts)),
            Middleware(stacking: parts).around(.passThrough),
            Middleware(stacking: parts + [.passThrough]),
        ]
        for composition in compositions {
            log.withLock { $0 = "" }
            _ = composition(double)(1)
            #expect(log.withLock { $0 } == "abcCBA")
        }
    }

    @Test func ofNoneChangesNothing() {
        #expect(Middleware(stacking: [])(double)(4).valueNow == 8)
        #expect(Middleware.passThrough(double)(4).valueNow == 8)
    }

    @Test func aMiddlewareMayServeSeveralServices() {
        let wrapped = noting("a", in: log)
        #expect(wrapped(double)(1).valueNow == 2)
        #expect(wrapped { Future(value: -$0) }(1).valueNow == -1)
        #expect(log.withLock { $0 } == "aAaA")
    }
}
