import Pledge
import PledgeFutures
import PledgeTesting
import Testing

/// The wrong orders of Docs/Guides/Resilience.md, and what they do.
@Suite struct ResilienceOrderExamples {
    // snippet: broken
    struct Broken: Error {}
    // end snippet

    // snippet: scheduler
    let scheduler = ManualScheduler()
    // end snippet
    private let asked = ExampleLog()

    /// A service that is down, and says so after a while.
    private func down(after delay: Duration = .zero) -> Service<Int, String> {
        let (scheduler, asked) = (scheduler, asked)
        return { _ in
            asked.add("asked")
            let failed = Future<String>(error: Broken())
            guard delay > .zero else { return failed }
            return Future(value: ()).delay(delay, on: scheduler).flatMap { failed }
        }
    }

    /// When a call ends, and how.
    private func end(of load: Service<Int, String>) -> String {
        let (scheduler, log) = (scheduler, ExampleLog())
        let start = scheduler.now
        load(7).observe { result in
            let end = result.error.map { "\($0)" } ?? "success"
            log.add("\(start.duration(to: scheduler.now)): \(end)")
        }
        scheduler.run()
        return log.lines.joined(separator: "\n")
    }

    /// How many requests are made for a number of calls, one after the other.
    private func requests(of load: Service<Int, String>, calls: Int) -> Int {
        let before = asked.lines.count
        for _ in 1...calls {
            load(7).observe { _ in }
            scheduler.advance(by: .milliseconds(50))
        }
        return asked.lines.count - before
    }

    @Test func aTimeoutOutsideTheRetry() {
        let scheduler = scheduler
        // snippet: deadline
        let down: Service<Int, String> = { _ in
            Future(value: ()).delay(.milliseconds(600), on: scheduler)
                .flatMap { Future(error: Broken()) }
        }
        let wrong = stack(
            .timeout(.seconds(2), on: scheduler),
            .retry(Retry(backoff: .constant(.milliseconds(1_500))), on: scheduler),
            over: down)
        let right = stack(
            .deadline(.seconds(2), on: scheduler),
            .retry(Retry(backoff: .constant(.milliseconds(1_500))), on: scheduler),
            over: down)
        // end snippet
        #expect(
            end(of: wrong)
                == "2.0 seconds: timeout: no result within the timeout of 2.0 seconds")
        #expect(end(of: right) == "0.6 seconds: Broken()")
    }

    @Test func aBreakerOutsideTheRetry() {
        let (scheduler, down) = (scheduler, down())
        // snippet: breaker
        let wrong = stack(
            .circuitBreaker(
                sharing: CircuitBreaker(failuresInARow: 3, lasting: .zero, on: scheduler)),
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), on: scheduler),
            over: down)
        let right = stack(
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), on: scheduler),
            .circuitBreaker(
                sharing: CircuitBreaker(failuresInARow: 3, lasting: .zero, on: scheduler)),
            over: down)
        // end snippet
        #expect(requests(of: wrong, calls: 10) == 9)
        #expect(requests(of: right, calls: 10) == 3)
    }

    @Test func aTimeoutOutsideTheBreaker() {
        let (scheduler, asked) = (scheduler, asked)
        let print: @Sendable (String) -> Void = { asked.add($0) }
        // snippet: hang
        let hangs: Service<Int, String> = { _ in
            print("asked")
            return Future(value: "late").delay(.seconds(3_600), on: scheduler)
        }
        let wrong = stack(
            .timeout(.milliseconds(50), on: scheduler),
            .circuitBreaker(
                sharing: CircuitBreaker(failuresInARow: 3, lasting: .zero, on: scheduler)),
            over: hangs)
        let right = stack(
            .circuitBreaker(
                sharing: CircuitBreaker(failuresInARow: 3, lasting: .zero, on: scheduler)),
            .timeout(.milliseconds(50), on: scheduler),
            over: hangs)
        // end snippet
        #expect(requests(of: wrong, calls: 10) == 10)
        #expect(requests(of: right, calls: 10) == 3)
    }

    @Test func aFallbackBeneathTheRetry() {
        let (scheduler, down) = (scheduler, down())
        // snippet: fallback
        let wrong = stack(
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), on: scheduler),
            .fallback("kept"),
            over: down)
        let right = stack(
            .fallback("kept"),
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), on: scheduler),
            over: down)
        // end snippet
        #expect(requests(of: wrong, calls: 1) == 1)
        #expect(requests(of: right, calls: 1) == 3)
    }

    @Test func aBulkheadBeneathTheRetry() {
        let scheduler = scheduler
        // snippet: bulkhead
        let failsOnce: Service<String, String> = { name in
            let isFirst = name == "ada" && CallContext.current.attempt == 1
            return Future(value: ()).delay(.seconds(1), on: scheduler)
                .map { if isFirst { throw Broken() } else { "served" } }
        }
        let wrong = stack(
            .retry(Retry(backoff: .constant(.milliseconds(500))), on: scheduler),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 2, leaseTime: nil, on: scheduler)),
            over: failsOnce)
        let right = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 2, leaseTime: nil, on: scheduler)),
            .retry(Retry(backoff: .constant(.milliseconds(500))), on: scheduler),
            over: failsOnce)
        // end snippet
        #expect(order(of: wrong) == ["2.0 seconds: ben", "3.0 seconds: cem", "4.0 seconds: ada"])
        #expect(order(of: right) == ["2.5 seconds: ada", "3.5 seconds: ben", "4.5 seconds: cem"])
    }

    @Test func aBulkheadWithoutAQueueBeneathTheRetry() {
        let (scheduler, failing) = (scheduler, down(after: .seconds(1)))
        let serve = stack(
            .retry(Retry(backoff: .constant(.milliseconds(500))), on: scheduler),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: scheduler)),
            over: failing)
        let ada = serve(1)
        scheduler.advance(by: .milliseconds(1_200))
        let ben = serve(2)
        scheduler.advance(by: .milliseconds(300))
        #expect((ada.result?.error as? ServiceError)?.code == .bulkheadFull)
        #expect(ben.result == nil)
        scheduler.run()
    }

    /// When three calls that begin together are served.
    private func order(of serve: Service<String, String>) -> [String] {
        let (scheduler, log) = (scheduler, ExampleLog())
        let start = scheduler.now
        for name in ["ada", "ben", "cem"] {
            serve(name).observe { _ in
                log.add("\(start.duration(to: scheduler.now)): \(name)")
            }
        }
        scheduler.run()
        return log.lines
    }
}

extension Result {
    /// The error, if it is one.
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
