// snippet: imports
import Pledge
import PledgeFutures
import PledgeTraffic
// end snippet
import Testing

/// The code of Docs/Policies/Shedding.md.
@Suite struct SheddingExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let work: Service<String, String> = { name in
            Future(value: "\(name) is done").delay(.milliseconds(40), on: scheduler)
        }
        let shedder = LoadShedder(limit: 1, queue: 2, on: scheduler)
        let load = stack(.loadShedding(sharing: shedder), over: work)
        let calls: [(String, CallPriority)] = [
            ("page", .critical), ("prefetch", .sheddable), ("report", .sheddablePlus),
            ("payment", .criticalPlus),
        ]

        for (name, priority) in calls {
            CallContext.current.with(priority: priority).run { load(name) }.observe { result in
                switch result {
                case .success(let text): log(text)
                case .failure(let error): log("\(name): \(error)")
                }
            }
        }
        scheduler.run()
        // end snippet
        #expect(
            lines.lines == [
                "0.0 seconds: prefetch: loadShedding: refused: the queue is full of calls that are served before",
                "0.04 seconds: page is done",
                "0.08 seconds: payment is done",
                "0.12 seconds: report is done",
            ])
    }

    @Test func stacks() {
        let work: Service<String, String> = { name in Future(value: name) }
        // snippet: stacks
        let shedder = LoadShedder(named: "work")
        let interactive = stack(.loadShedding(sharing: shedder), over: work)
        let prefetch = stack(.priority(.sheddable), .loadShedding(sharing: shedder), over: work)
        // end snippet
        #expect(interactive("a").result != nil && prefetch("b").result != nil)
    }

    @Test func overload() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let scheduler = ManualScheduler()
        let work: Service<String, String> = { name in
            Future(value: "\(name) is done").delay(.milliseconds(40), on: scheduler)
        }
        // snippet: overload
        let busy = LoadShedder(limit: 2, on: scheduler)
        let serve = stack(.loadShedding(sharing: busy), over: work)
        for number in 1...16 {
            let start = scheduler.now
            serve("call \(number)").observe { result in
                let end = (try? result.get()) ?? "call \(number) is refused"
                print("\(end) after \(start.duration(to: scheduler.now))")
            }
            scheduler.advance(by: .milliseconds(10))
        }
        // end snippet
        #expect(
            lines.lines == [
                "call 1 is done after 0.04 seconds",
                "call 2 is done after 0.04 seconds",
                "call 3 is done after 0.06 seconds",
                "call 4 is done after 0.06 seconds",
                "call 5 is done after 0.08 seconds",
                "call 13 is refused after 0.005 seconds",
                "call 6 is done after 0.08 seconds",
                "call 14 is refused after 0.005 seconds",
                "call 15 is refused after 0.005 seconds",
                "call 16 is refused after 0.005 seconds",
                "call 7 is done after 0.1 seconds",
            ])
    }
}
