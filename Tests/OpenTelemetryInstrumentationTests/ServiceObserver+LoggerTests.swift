#if Observability
import PledgeFutures
import InMemoryLogging
import Logging
import PledgeOpenTelemetryInstrumentation
import PledgeServices
import Testing

struct ServiceObserverLoggerTests {
    private let scheduler = ManualScheduler()
    private let handler = InMemoryLogHandler()

    private func call(_ observer: ServiceObserver) {
        let service: Service<Int, Int> = { input in
            CallContext.current.attempt == 1 ? Future(error: Busy()) : Future(value: input)
        }
        let api = stack(
            .observed(by: observer, on: scheduler, named: { _ in "load" }),
            .retry(Retry(backoff: .constant(.milliseconds(15))), on: scheduler), over: service)
        let future = api(1)
        scheduler.run()
        #expect(future.result != nil)
    }

    private func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = level
        return logger
    }

    @Test func writesAMessageWithMetadataForEachEvent() throws {
        call(.logging(to: logger(.debug)))
        #expect(
            handler.entries.map { "\($0.level) \($0.message)" } == [
                "debug observed began", "debug retry began", "debug retry ended",
                "debug retry retrying", "debug retry began", "debug retry ended",
                "debug observed ended",
            ])
        let entry = try #require(handler.entries.first { "\($0.message)" == "retry retrying" })
        var metadata = entry.metadata.mapValues { "\($0)" }
        #expect(metadata.removeValue(forKey: "call") != nil)
        #expect(
            metadata == [
                "span": "1", "attempt": "1", "at_ms": "0", "policy": "retry", "event": "retrying",
                "after_ms": "15", "error": "Busy", "code": "503", "unproven": "true",
            ])
    }

    @Test func writesOnlyWhatTheLevelsLetThrough() {
        call(
            .logging(to: logger(.info)) { event in
                if case .retrying = event.kind { .notice } else { .debug }
            })
        #expect(handler.entries.map { "\($0.level) \($0.message)" } == ["notice retry retrying"])
    }
}

private struct Busy: Error, CodedError {
    var loggedCode: String { "503" }
}
#endif
