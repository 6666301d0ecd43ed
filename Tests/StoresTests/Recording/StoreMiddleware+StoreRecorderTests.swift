import PledgeFutures
import PledgeStores
import Testing

@Suite struct DispatchMiddlewareRecorderTests {
    @Test func middlewareSeesWhatHappensAndNoStepsThroughHistory() {
        let seen = Locked<[String]>([])
        let answers = Locked<[Promise<String>]>([])
        let layer = StoreMiddleware<[String], String> { context in
            seen.withLock { $0.append("set up") }
            return { next in
                seen.withLock { $0.append("ready") }
                return { event in
                    seen.withLock { $0.append("\(event) at \(context.state.count)") }
                    if event == "twice" { context.dispatch(event: "once") }
                    if event != "drop" { next(event.lowercased()) }
                }
            }
        }
        let recorder = recorderOfWords(answers, middleware: [layer])
        for event in ["ask", "twice", "drop"] { recorder.dispatch(event: event) }
        recorder.undo()
        answers.withLock { $0 }[0].resolve(with: "ANSWER")
        recorder.redo()
        recorder.replay(["REPLAYED"])
        #expect(
            seen.withLock { $0 } == [
                "set up", "ready", "ask at 0", "twice at 1", "once at 1", "drop at 3",
                "ANSWER at 2",
            ])
        #expect(recorder.events == ["ask", "once", "twice", "REPLAYED"])
    }
}
