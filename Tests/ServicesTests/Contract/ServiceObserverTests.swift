import PledgeFutures
import PledgeServices
import ServicesTestSupport
import Testing

@Suite struct ServiceObserverCombiningTests {
    @Test func eachOfSeveralCombinedObserversHearsEveryEventInOrder() {
        let heard = Locked<[String]>([])
        let observers = ["a", "b", "c"].map { name in
            ServiceObserver { event in heard.withLock { $0.append("\(name) \(event.span)") } }
        }
        let combined = ServiceObserver(combining: [
            observers[0], ServiceObserver(combining: Array(observers[1...])),
        ])
        combined.receive(.made(.hit, span: 1))
        combined.receive(.made(.miss, span: 2))
        #expect(heard.withLock { $0 } == ["a 1", "b 1", "c 1", "a 2", "b 2", "c 2"])
    }
}
