import Foundation
import Pledge
import PledgeTesting
import Testing

/// The code of Docs/Guides/Observation.md, and what it writes.
@Suite struct ObservationExamples {
    typealias Product = String

    struct Busy: Error, CodedError {
        var loggedCode: String { "503" }
    }

    private let scheduler = ManualScheduler()
    private let attempts = ExampleLog()

    /// Fails at once the first time, and answers after 25 ms the second.
    private var loadProduct: Service<Int, Product> {
        let (scheduler, attempts) = (scheduler, attempts)
        return { id in
            attempts.add("attempt")
            let isFirst = attempts.lines.count == 1
            let wait = Future<Void>(value: ())
                .delay(.milliseconds(isFirst ? 10 : 25), on: scheduler)
            return wait.flatMap {
                isFirst ? Future(error: Busy()) : Future(value: "Product \(id)")
            }
        }
    }

    /// Answers after a time that depends on what it is asked for.
    private var loadPart: Service<String, Int> {
        let scheduler = scheduler
        return { part in
            Future(value: part.count).delay(.milliseconds(part.count * 5), on: scheduler)
        }
    }

    @Test func observers() throws {
        let (loadProduct, scheduler) = (loadProduct, scheduler)
        let lines = ExampleLog()
        // snippet: combined
        let metrics = ServiceMetrics()
        let recorder = CallRecorder()
        let observer = ServiceObserver(combining: [
            metrics.observer,
            recorder.observer,
            .logging { line in lines.add(line) },
        ])

        let api = stack(
            .observed(by: observer, on: scheduler, named: { id in "load product" }),
            .retry(backoff: .constant(.milliseconds(15)), on: scheduler),
            .timeout(.milliseconds(100), on: scheduler),
            over: loadProduct)
        // end snippet
        let product = api(7)
        scheduler.run()
        #expect(try product.settledValue() == "Product 7")
        let call = try #require(recorder.lastCall)
        #expect(call.waterfall(width: 30) == (try output("waterfall.txt")))
        let number = "call=\(call.number) "
        let log = lines.lines.map { $0.replacingOccurrences(of: number, with: "call=1 ") + "\n" }
        #expect(log.joined() == (try output("log.txt")))
    }

    @Test func spansOfYourOwn() throws {
        let (loadPart, scheduler, recorder) = (loadPart, scheduler, CallRecorder())
        // snippet: spans
        let part = stack(.observed(named: { name in name }), over: loadPart)
        let screen: Service<Int, Int> = { id in
            zip(part("reviews"), part("pictures")).map { $0 + $1 }
        }
        let loadScreen = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "screen" }),
            over: screen)
        // end snippet
        let loaded = loadScreen(7)
        scheduler.run()
        #expect(try loaded.settledValue() == 15)
        #expect(try #require(recorder.lastCall).waterfall(width: 30) == output("overlap.txt"))
    }

    @Test func counters() throws {
        let (loadPart, scheduler) = (loadPart, scheduler)
        // snippet: metrics
        let metrics = ServiceMetrics(prefix: "shop")
        let api = stack(
            .observed(by: metrics.observer, on: scheduler, named: { _ in "load part" }),
            .timeout(.milliseconds(15), on: scheduler),
            over: loadPart)
        // end snippet
        _ = api("legs")
        scheduler.run()
        #expect(metrics.prometheusText == (try output("metrics.txt")))
    }

    @Test func names() {
        let scheduler = ManualScheduler()
        let metrics = ServiceMetrics()
        let loadPart: Service<Int, Int> = { id in Future(value: id) }
        let savePart: Service<Int, Int> = { _ in Future(error: Busy()) }
        // snippet: names
        let reads = CircuitBreaker(named: "reads", failuresInARow: 1, on: scheduler)
        let writes = CircuitBreaker(named: "writes", failuresInARow: 1, on: scheduler)
        let load = stack(
            .observed(by: metrics.observer, on: scheduler), .circuitBreaker(sharing: reads),
            over: loadPart)
        let save = stack(
            .observed(by: metrics.observer, on: scheduler), .circuitBreaker(sharing: writes),
            over: savePart)
        // end snippet
        _ = (load(1), save(1))
        let lines = metrics.prometheusText.split(separator: "\n")
        #expect(
            lines.filter { $0.contains("state_changed") } == [
                #"pledge_policy_events_total{policy="circuitBreaker",policy_name="writes",event="state_changed",reason="open"} 1"#
            ])
    }

    @Test func tracing() throws {
        let recorder = CallRecorder()
        let api = stack(
            .observed(by: recorder.observer), over: { (id: Int) in Future(value: id) })
        _ = api(7)
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("pledge-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        // snippet: trace
        try recorder.chromeTrace.write(toFile: file, atomically: true, encoding: .utf8)
        // end snippet
        let data = try #require(FileManager.default.contents(atPath: file))
        let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect((json?["traceEvents"] as? [Any])?.count == 3)
    }

    @Test func anObserverOfYourOwn() throws {
        let stock = stack(
            .fallback(0), over: { (id: Int) in Future<Int>(error: Busy()) })
        let alarms = ExampleLog()
        // snippet: own
        let watching = ServiceObserver { event in
            if case .fellBack = event.kind { alarms.add(event.logLine) }
        }
        let api = stack(.observed(by: watching), over: stock)
        // end snippet
        #expect(try api(7).settledValue() == 0)
        #expect(alarms.lines.count == 1)
        #expect(alarms.lines[0].hasSuffix("policy=fallback event=fell_back error=Busy code=503"))
    }

    @Test func aPolicyOfYourOwn() throws {
        let lines = ExampleLog()
        let (sign, send): (@Sendable (Int) -> Int, Service<Int, Int>) = (
            { $0 }, { Future(value: $0) }
        )
        // snippet: report
        let signing = Middleware<Int, Int> { next in
            { input in
                CallContext.current.report(.note("signed"), by: "signing")
                return next(sign(input))
            }
        }
        // end snippet
        let api = stack(.observed(by: .logging { lines.add($0) }), signing, over: send)
        #expect(try api(7).settledValue() == 7)
        #expect(lines.lines[1].hasSuffix("policy=signing event=note text=signed"))
    }

    // snippet: coded
    enum LoginError: Error, CodedError {
        case wrongPassword(user: String)
        case locked

        var loggedCode: String {
            switch self {
            case .wrongPassword: "wrongPassword"
            case .locked: "locked"
            }
        }
    }
    // end snippet

    @Test func ofAnErrorOnlyTypeAndCodeAreWritten() throws {
        let lines = ExampleLog()
        let logIn = stack(
            .observed(by: .logging { lines.add($0) }),
            over: { (name: String) in Future<Int>(error: LoginError.wrongPassword(user: name)) })
        _ = logIn("ada")
        #expect(lines.lines[1].hasSuffix("error=LoginError code=wrongPassword"))
    }

    private func output(_ name: String) throws -> String {
        let file = Repository.this.root.appendingPathComponent("Docs/Examples/Outputs/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }
}
