import Pledge
import Testing

/// The aggregates of futures, as time lines.
@Suite struct CombiningMarblePictures {
    private func zipped() throws -> MarbleRun {
        let run = MarbleRun("zip(a, b)")
        let a = run.track("a", 0, run.value(1, after: 30))
        let b = run.track("b", 1, run.value("x", after: 80))
        let pair = run.track("result", 2, zip(a, b).map { "\($0) \($1)" })
        run.run(for: 80)
        #expect(try pair.result?.get() == "1 x")
        return run
    }

    private func all() -> MarbleRun {
        let run = MarbleRun("Future.all([a, b, c])")
        let values = run.track(
            "result", 3,
            Future.all([
                run.track("a", 0, run.value(1, after: 30)),
                run.track("b", 1, run.failure(after: 60)),
                run.track("c", 2, run.value(3, after: 100)),
            ]))
        run.run(for: 100)
        #expect(throws: MarbleRun.Broken.self) { try values.result?.get() }
        return run
    }

    private func any() throws -> MarbleRun {
        let run = MarbleRun("Future.any([a, b, c])")
        let success = run.track(
            "result", 3,
            Future.any([
                run.track("a", 0, run.failure(after: 30)),
                run.track("b", 1, run.value(2, after: 60)),
                run.track("c", 2, run.value(3, after: 100)),
            ]))
        run.run(for: 100)
        #expect(try success.result?.get() == 2)
        return run
    }

    private func race() -> MarbleRun {
        let run = MarbleRun("Future.race([a, b])")
        let first = run.track(
            "result", 2,
            Future.race([
                run.track("a", 0, run.failure(of: Int.self, after: 30)),
                run.track("b", 1, run.value(2, after: 60)),
            ]))
        run.run(for: 100)
        #expect(throws: MarbleRun.Broken.self) { try first.result?.get() }
        return run
    }

    @Test func combining() throws {
        let picture = Picture(
            "marbles-combining", title: "zip, all, any and race",
            description: """
                Time lines. zip settles with the last input, at 80 ms. all fails with the failure of b at 60 ms, and c \
                is cancelled then. any ignores the failure of a, settles with b at 60 ms, and c is cancelled. race \
                settles with the first result, the failure of a at 30 ms, and b is cancelled.
                """)
        try MarblePicture(picture, [try zipped(), all(), try any(), race()]).drawn().check()
    }
}
