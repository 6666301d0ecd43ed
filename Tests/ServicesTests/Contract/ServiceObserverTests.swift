import PledgeFutures
import PledgeObservation
import PledgeServices
import Testing

@Suite struct ServiceObserverCombiningTests {
    @Test func eachObserverHearsEveryEventInOrder() {
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

    @Test func theReceiversOfAnObserverSeeTheSameCall() throws {
        let scheduler = ManualScheduler()
        let upstream = Upstream(on: scheduler, [.broken, .value(7)])
        let (metrics, recorder, log) = (ServiceMetrics(), CallRecorder(), Locked<[String]>([]))
        let observer = ServiceObserver(combining: [
            metrics.observer, recorder.observer,
            .logging { line in log.withLock { $0.append(line) } },
        ])
        _ = stack(
            .observed(by: observer, on: scheduler),
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(metrics.prometheusText.contains("pledge_call_duration_seconds_count"))
        let call = try #require(recorder.lastCall)
        #expect(call.isOver)
        #expect(log.withLock { $0.count } == 7)
        #expect(log.withLock { $0 }.allSatisfy { $0.hasPrefix("call=\(call.number) ") })
    }
}
