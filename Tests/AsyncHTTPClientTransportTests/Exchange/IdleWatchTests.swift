#if AsyncHTTPClient
import Futures
import Testing

@testable import AsyncHTTPClientTransport

struct IdleWatchTests {
    private let scheduler = ManualScheduler()
    private let count = Locked(0)

    private func watch() -> IdleWatch {
        let watch = IdleWatch(.seconds(10), on: scheduler)
        watch.start { count.withLock { $0 += 1 } }
        return watch
    }

    private var acts: Int { count.withLock { $0 } }

    @Test func actsWhenNothingIsNoted() {
        let watch = watch()
        scheduler.advance(by: .seconds(9))
        #expect(acts == 0)
        scheduler.advance(by: .seconds(1))
        #expect(acts == 1)
        watch.stop()
    }

    @Test func countsFromWhatWasNotedLast() {
        let watch = watch()
        for _ in 0..<5 {
            scheduler.advance(by: .seconds(6))
            watch.note()
        }
        scheduler.advance(by: .seconds(9))
        #expect(acts == 0)
        scheduler.advance(by: .seconds(1))
        #expect(acts == 1)
    }

    @Test func waitsWhileItIsPaused() {
        let watch = watch()
        watch.pause()
        scheduler.advance(by: .seconds(100))
        watch.note()
        scheduler.advance(by: .seconds(9))
        #expect(acts == 0)
        scheduler.advance(by: .seconds(1))
        #expect(acts == 1)
    }

    @Test func leavesNoTimerBehind() {
        let watch = watch()
        scheduler.advance(by: .seconds(5))
        watch.stop()
        #expect(scheduler.isIdle)
        watch.note()
        scheduler.advance(by: .seconds(100))
        #expect(acts == 0)
    }
}
#endif
