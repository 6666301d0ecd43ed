import PledgeFutures
import TestSupport
import Testing

/// Cancel handlers that cancel futures with cancel handlers of their own.
@Suite(.oneAtATime) struct CancelChainTests {
    @Test func aChainOfPromisesThatCancelEachOtherNeedsNoStack() {
        let isCancelled = onSmallThread {
            let first = Promise<Int>()
            var last = first
            for _ in 0..<200_000 {
                let upstream = last
                last = Promise()
                last.onCancel { upstream.cancel() }
            }
            last.cancel()
            return first.isCancelled
        }
        #expect(isCancelled)
    }

    @Test func handlersOfOnePromiseRunInOrder() {
        let order = TestLog<Int>()
        let promise = Promise<Int>()
        for number in 0..<5 { promise.onCancel { order.append(number) } }
        promise.cancel()
        #expect(order.elements == [0, 1, 2, 3, 4])
    }
}
