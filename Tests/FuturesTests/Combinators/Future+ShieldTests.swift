import Futures
import Testing

@Suite struct FutureShieldTests {
    @Test func aShieldKeepsTheProducerGoing() {
        let (promise, calls) = (Promise<Int>(), Recorder<Int>())
        promise.onCancel { calls.append(1) }
        let shield = promise.map { $0 + 1 }.shielded()
        shield.map { $0 }.cancel()
        #expect(shield.result == nil)
        let other = promise.shielded()
        other.cancel()
        #expect(calls.elements.isEmpty)
        promise.resolve(with: 1)
        #expect(shield.valueNow == 2)
        #expect(other.isCancelled)
    }
}
