// snippet: imports
import Foundation
import Pledge
import PledgeObservation
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/Observation.md, and what it writes.
@Suite struct ObservationExamples {
    // snippet: busy
    struct Busy: Error, CodedError {
        var loggedCode: String { "503" }
    }
    // end snippet

    private let scheduler = ManualScheduler()

    /// Answers after a time that depends on what it is asked for.
    private var loadPart: Service<String, Int> {
        let scheduler = scheduler
        return { part in
            Future(value: part.count).delay(.milliseconds(part.count * 5), on: scheduler)
        }
    }

    @Test func observers() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: combined
        let scheduler = ManualScheduler()

        /// Fails the first time after 10 ms, and answers after 25 ms the second.
        let loadProduct: Service<Int, String> = { id in
            let isFirst = CallContext.current.attempt == 1
            let wait = Future(value: ()).delay(.milliseconds(isFirst ? 10 : 25), on: scheduler)
            return wait.flatMap {
                isFirst ? Future(error: Busy()) : Future(value: "Product \(id)")
            }
        }

        let metrics = ServiceMetrics()
        let recorder = CallRecorder()
        let observer = ServiceObserver(combining: [
            metrics.observer,
            recorder.observer,
            .logging { line in print(line) },
        ])

        let api = stack(
            .observed(by: observer, on: scheduler, named: { id in "load product" }),
            .retry(Retry(backoff: .constant(.milliseconds(15))), on: scheduler),
            .timeout(.milliseconds(100), on: scheduler),
            over: loadProduct)
        let product = api(7)
        scheduler.run()
        // end snippet
        #expect(try product.settledValue() == "Product 7")
        let call = try #require(recorder.lastCall)
        #expect(call.waterfall(width: 30) == (try output("waterfall.txt")))
        let number = "call=\(call.number) "
        let log = lines.lines.map { $0.replacingOccurrences(of: number, with: "call=1 ") + "\n" }
        #expect(log.joined() == (try output("log.txt")))
    }

    @Test func spansOfYourOwn() throws {
        let (scheduler, recorder) = (scheduler, CallRecorder())
        // snippet: spans
        let loadPart: Service<String, Int> = { part in
            Future(value: part.count).delay(.milliseconds(part.count * 5), on: scheduler)
        }
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
        // snippet: names
        let metrics = ServiceMetrics()
        let loadPart: Service<Int, Int> = { id in Future(value: id) }
        let savePart: Service<Int, Int> = { _ in Future(error: Busy()) }
        let reads = CircuitBreaker(named: "reads", failuresInARow: 1, lasting: .zero, on: scheduler)
        let writes = CircuitBreaker(
            named: "writes", failuresInARow: 1, lasting: .zero, on: scheduler)
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
                #"pledge_policy_events_total{call="call",policy="circuitBreaker",policy_name="writes",event="state_changed",reason="open"} 1"#
            ])
    }

    @Test func aPage() throws {
        let recorder = CallRecorder()
        let api = stack(
            .observed(by: recorder.observer, named: { id in "load product \(id)" }),
            over: { (id: Int) in Future(value: id) })
        _ = api(7)
        // snippet: page
        let page = FileManager.default.temporaryDirectory.appendingPathComponent("calls.html")
        try recorder.page(to: page)
        // end snippet
        defer { try? FileManager.default.removeItem(at: page) }
        let html = try String(contentsOf: page, encoding: .utf8)
        #expect(html.contains(#""name":"load product 7","attempt":1"#))
    }

    @Test func tracing() throws {
        let recorder = CallRecorder()
        let api = stack(
            .observed(by: recorder.observer), over: { (id: Int) in Future(value: id) })
        _ = api(7)
        // snippet: trace
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("trace.json").path
        try recorder.chromeTrace.write(toFile: file, atomically: true, encoding: .utf8)
        // end snippet
        defer { try? FileManager.default.removeItem(atPath: file) }
        let data = try #require(FileManager.default.contents(atPath: file))
        let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect((json?["traceEvents"] as? [Any])?.count == 3)
    }

    @Test func anObserverOfYourOwn() throws {
        let alarms = ExampleLog()
        let print: @Sendable (String) -> Void = { alarms.add($0) }
        // snippet: own
        let stock = stack(.fallback(0), over: { (id: Int) in Future<Int>(error: Busy()) })
        let watching = ServiceObserver { event in
            if case .fellBack = event.kind { print(event.logLine) }
        }
        let api = stack(.observed(by: watching), over: stock)
        // end snippet
        #expect(try api(7).settledValue() == 0)
        #expect(alarms.lines.count == 1)
        #expect(alarms.lines[0].hasSuffix("policy=fallback event=fell_back error=Busy code=503"))
    }

    @Test func aPolicyOfYourOwn() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: report
        let send: Service<Int, Int> = { input in Future(value: input) }
        let signing = Middleware<Int, Int> { next in
            { input in
                CallContext.current.report(.note("signed"), by: "signing")
                return next(input)
            }
        }
        let api = stack(.observed(by: .logging { print($0) }), signing, over: send)
        // end snippet
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
