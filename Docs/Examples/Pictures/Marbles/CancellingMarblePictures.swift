import Pledge
import Testing

/// Futures that are cancelled, as time lines.
@Suite struct CancellingMarblePictures {
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
        let picture = Picture(
            "marbles-cancelling", title: "One of two waiters cancels, and both do",
            description: """
                Time lines of a request and of two futures that wait for it, list and detail. If list is cancelled at \
                40 ms, the request goes on, and detail gets its value at 100 ms. If detail is cancelled at 70 ms, \
                too, nobody waits, and the request is cancelled then.
                """)
        try MarblePicture(picture, [one, both]).drawn().check()
    }
}
