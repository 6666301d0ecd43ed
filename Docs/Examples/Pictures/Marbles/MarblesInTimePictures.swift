import Pledge
import Testing

/// Futures in time and their cancellation, as time lines.
@Suite struct MarblesInTimePictures {
    private func check(
        _ name: String, title: String, description: String, _ runs: [MarbleRun]
    ) throws {
        let picture = Picture(name, title: title, description: description)
        try MarblePicture(picture, runs).drawn().check()
    }

    @Test func inTime() throws {
        let delay = MarbleRun("delay(.milliseconds(40))")
        let later = delay.track(
            "result", 1,
            delay.track("number", 0, delay.value(7, after: 30))
                .delay(.milliseconds(40), on: delay.scheduler))
        delay.run(for: 70)

        let inTime = MarbleRun("timeout(.milliseconds(60)), in time")
        let answer = inTime.track(
            "result", 1,
            inTime.track("answer", 0, inTime.value(7, after: 40))
                .timeout(.milliseconds(60), on: inTime.scheduler))
        inTime.run(for: 60)

        let late = MarbleRun("timeout(.milliseconds(60)), too late")
        let nothing = late.track(
            "result", 1,
            late.track("answer", 0, late.value(7, after: 100))
                .timeout(.milliseconds(60), on: late.scheduler))
        late.run(for: 100)

        let retry = MarbleRun(".retry(backoff: .constant(.milliseconds(20)))")
        let load = stack(
            .retry(backoff: .constant(.milliseconds(20)), on: retry.scheduler),
            over: { (query: PolicyRun.Query) in
                let number = CallContext.current.attempt
                let isLast = number == 3
                return retry.track(
                    "attempt \(number)", number - 1,
                    isLast ? retry.value(7, after: 30) : retry.failure(after: 20))
            })
        let repeated = retry.track("result", 3, load(PolicyRun.Query(name: "product")))
        retry.run(for: 120)

        #expect(try [later, answer, repeated].map { try $0.result?.get() } == [7, 7, 7])
        #expect(throws: FutureError.self) { try nothing.result?.get() }
        try check(
            "marbles-in-time", title: "delay, timeout and retry",
            description: """
                Time lines. delay passes 7 on 40 ms after it came. A timeout of 60 ms passes on what comes at 40 ms; \
                what would come at 100 ms is cancelled at 60 ms, and the result fails with timedOut. retry: two \
                attempts fail, each next one begins 20 ms later, and the third succeeds at 110 ms.
                """, [delay, inTime, late, retry])
    }

    @Test func cancelling() throws {
        let one = MarbleRun("list.cancel() at 40 ms")
        let request = one.track("request", 0, one.value(7, after: 100))
        let list = one.track("list", 1, request.map { "item \($0)" })
        let detail = one.track("detail", 2, request.map { "product \($0)" })
        one.run(for: 40)
        list.cancel()
        one.run(for: 60)

        let both = MarbleRun("list.cancel() at 40 ms, detail.cancel() at 70 ms")
        let load = both.track("request", 0, both.value(7, after: 100))
        let (row, page) = (load.map { "item \($0)" }, load.map { "product \($0)" })
        both.track("list", 1, row)
        both.track("detail", 2, page)
        both.run(for: 40)
        row.cancel()
        both.run(for: 30)
        page.cancel()
        both.run(for: 30)

        #expect(try detail.result?.get() == "product 7")
        #expect(throws: CancellationError.self) { try load.result?.get() }
        try check(
            "marbles-cancelling", title: "One of two waiters cancels, and both do",
            description: """
                Time lines of a request and of two futures that wait for it, list and detail. If list is cancelled at \
                40 ms, the request goes on, and detail gets its value at 100 ms. If detail is cancelled at 70 ms, \
                too, nobody waits, and the request is cancelled then.
                """, [one, both])
    }
}
