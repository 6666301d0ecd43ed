import Pledge
import Testing

/// Futures that wait, as time lines.
@Suite struct TimeMarblePictures {
    private func delay() throws -> MarbleRun {
        let run = MarbleRun("delay(.milliseconds(40))")
        let number = run.track("number", 0, run.value(7, after: 30))
        let later = run.track("result", 1, number.delay(.milliseconds(40), on: run.scheduler))
        run.run(for: 70)
        #expect(try later.result?.get() == 7)
        return run
    }

    private func timeout(_ note: String, after milliseconds: Int) -> (MarbleRun, Future<Int>) {
        let run = MarbleRun("timeout(.milliseconds(60)), \(note)")
        let answer = run.track("answer", 0, run.value(7, after: milliseconds))
        let result = run.track("result", 1, answer.timeout(.milliseconds(60), on: run.scheduler))
        run.run(for: 100)
        return (run, result)
    }

    private func retry() throws -> MarbleRun {
        let run = MarbleRun(".retry(Retry(backoff: .constant(.milliseconds(20))))")
        let load = stack(
            .retry(Retry(backoff: .constant(.milliseconds(20))), on: run.scheduler),
            over: { (query: PolicyRun.Query) in
                let number = CallContext.current.attempt
                return run.track(
                    "attempt \(number)", number - 1,
                    number == 3 ? run.value(7, after: 30) : run.failure(after: 20))
            })
        let repeated = run.track("result", 3, load(PolicyRun.Query(name: "product")))
        run.run(for: 120)
        #expect(try repeated.result?.get() == 7)
        return run
    }

    @Test func inTime() throws {
        let (inTime, answer) = timeout("in time", after: 40)
        let (late, nothing) = timeout("too late", after: 100)
        #expect(try answer.result?.get() == 7)
        #expect(throws: FutureError.self) { try nothing.result?.get() }
        let picture = Picture(
            "marbles-in-time", title: "delay, timeout and retry",
            description: """
                Time lines. delay passes 7 on 40 ms after it came. A timeout of 60 ms passes on what comes at 40 ms; \
                what would come at 100 ms is cancelled at 60 ms, and the result fails with timedOut. retry: two \
                attempts fail, each next one begins 20 ms later, and the third succeeds at 110 ms.
                """)
        try MarblePicture(picture, [try delay(), inTime, late, try retry()]).drawn().check()
    }
}
