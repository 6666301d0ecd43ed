import Pledge
import Testing

/// The right and the wrong use of what repeats calls.
@Suite struct RetryPictures {
    private typealias Run = PolicyRun

    @Test func retry() throws {
        let right = Run()
        let oneLayer = right.recorded(
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: right.scheduler),
            over: right.server(.fails(after: .milliseconds(30))))
        let wrong = Run()
        let twoLayers = wrong.recorded(
            .retry(Retry(attempts: 2, backoff: .constant(.milliseconds(50))), on: wrong.scheduler),
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: wrong.scheduler),
            over: wrong.server(.fails(after: .milliseconds(30))))
        try Picture.comparing(
            "retry", title: "Retries in one layer and in two",
            description: """
                A server that is down. One retry of three attempts makes 3 requests in 190 ms. A \
                retry of two attempts around it makes 6 requests in 430 ms.
                """,
            [
                try right.panel("right: one layer, 3 requests", oneLayer, [(0, "load")]),
                try wrong.panel("wrong: two layers, 6 requests", twoLayers, [(0, "load")]),
            ])
    }

    @Test func hedge() throws {
        let right = Run()
        let late = right.recorded(
            .hedge(sharing: Hedge(after: .milliseconds(100), maxExtraLoad: 1, on: right.scheduler)),
            over: right.server(
                .succeeds(after: .milliseconds(60)), .succeeds(after: .milliseconds(400)),
                .succeeds(after: .milliseconds(60))))
        let wrong = Run()
        let early = wrong.recorded(
            .hedge(sharing: Hedge(after: .milliseconds(20), maxExtraLoad: 1, on: wrong.scheduler)),
            over: wrong.server(.succeeds(after: .milliseconds(60))))
        try Picture.comparing(
            "hedge", title: "A hedge after a long delay and after a short one",
            description: """
                With a delay of 100 ms a call of 60 ms is made once, and a slow call is overtaken after 160 ms. With \
                a delay of 20 ms both calls of 60 ms are made twice.
                """,
            [
                try right.panel(
                    "right: the delay is above the usual latency", late,
                    [(0, "usual"), (100, "slow")]),
                try wrong.panel(
                    "wrong: the delay is below the usual latency", early,
                    [(0, "usual"), (100, "usual")]),
            ])
    }

    @Test func coalesce() throws {
        let right = Run()
        let shared = right.recorded(
            .coalesce(by: { _ in "product" }),
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: right.scheduler),
            over: right.server(
                .fails(after: .milliseconds(30)), .fails(after: .milliseconds(30)),
                .succeeds(after: .milliseconds(30))))
        let wrong = Run()
        let alone = wrong.recorded(
            .retry(
                Retry(backoff: .equalJitter(base: .milliseconds(60))), on: wrong.scheduler,
                random: RandomSource(SeededGenerator(seed: 3))),
            .coalesce(by: { _ in "product" }),
            over: wrong.server(
                .fails(after: .milliseconds(30)), .fails(after: .milliseconds(30)),
                .fails(after: .milliseconds(30)), .succeeds(after: .milliseconds(30))))
        let callers = [(at: 0, name: "list"), (at: 10, name: "detail")]
        try Picture.comparing(
            "coalesce", title: "Two callers who coalesce outside a retry and beneath it",
            description: """
                Outside the retry, both callers share one series of three attempts, and succeed. Beneath the \
                retry, each waits and repeats by itself: one succeeds, and the other fails.
                """,
            [
                try right.panel("right: coalesce outside the retry", shared, callers),
                try wrong.panel("wrong: coalesce beneath the retry", alone, callers),
            ])
    }

    @Test func fallback() throws {
        let right = Run()
        let last = right.recorded(
            .fallback("kept"),
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: right.scheduler),
            over: right.server(
                .fails(after: .milliseconds(30)), .succeeds(after: .milliseconds(30))))
        let wrong = Run()
        let first = wrong.recorded(
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: wrong.scheduler),
            .fallback("kept"),
            over: wrong.server(
                .fails(after: .milliseconds(30)), .succeeds(after: .milliseconds(30))))
        try Picture.comparing(
            "fallback", title: "A fallback outside a retry and beneath it",
            description: """
                A server that fails once. Outside the retry, the fallback is not used: the second \
                attempt succeeds after 110 ms. Beneath the retry, the caller gets the substitute after \
                30 ms, and there is no second attempt.
                """,
            [
                try right.panel("right: fallback outside the retry", last, [(0, "load")]),
                try wrong.panel("wrong: fallback beneath the retry", first, [(0, "load")]),
            ])
    }
}
