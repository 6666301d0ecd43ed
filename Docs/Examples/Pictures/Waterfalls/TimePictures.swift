import Pledge
import Testing

/// The right and the wrong use of what bounds time.
@Suite struct TimePictures {
    private typealias Run = PolicyRun

    @Test func timeout() throws {
        let right = Run()
        let inside = right.recorded(
            .retry(Retry(backoff: .constant(.milliseconds(100))), on: right.scheduler),
            .timeout(.seconds(2), on: right.scheduler),
            over: right.server(
                .succeeds(after: .seconds(60)), .succeeds(after: .milliseconds(500))))
        let wrong = Run()
        let outside = wrong.recorded(
            .timeout(.seconds(2), on: wrong.scheduler),
            .retry(Retry(backoff: .constant(.milliseconds(100))), on: wrong.scheduler),
            over: wrong.server(
                .succeeds(after: .seconds(60)), .succeeds(after: .milliseconds(500))))
        try Picture.comparing(
            "timeout", title: "A timeout beneath a retry and outside it",
            description: """
                A server whose first answer does not come. Beneath the retry, the timeout ends the first attempt \
                after 2 s, and the second succeeds after 2.6 s. Outside the retry, it ends \
                the call after 2 s, within its first attempt.
                """,
            [
                try right.panel("right: timeout beneath the retry", inside, [(0, "load")]),
                try wrong.panel("wrong: timeout outside the retry", outside, [(0, "load")]),
            ])
    }

    @Test func deadline() throws {
        let right = Run()
        let outside = right.recorded(
            .deadline(.seconds(2), on: right.scheduler),
            .retry(Retry(backoff: .constant(.milliseconds(500))), on: right.scheduler),
            over: right.server(.fails(after: .milliseconds(900))))
        let wrong = Run()
        let beneath = wrong.recorded(
            .retry(Retry(backoff: .constant(.milliseconds(500))), on: wrong.scheduler),
            .deadline(.seconds(2), on: wrong.scheduler),
            over: wrong.server(.fails(after: .milliseconds(900))))
        try Picture.comparing(
            "deadline", title: "A deadline outside a retry and beneath it",
            description: """
                A server that fails after 0.9 s. Outside the retry, the deadline ends the call after 2 s, in its \
                second attempt. Beneath the retry, each attempt has a deadline of its own, and the call takes \
                3.7 s.
                """,
            [
                try right.panel(
                    "right: a deadline of 2 s outside the retry", outside, [(0, "load")]),
                try wrong.panel(
                    "wrong: a deadline of 2 s beneath the retry", beneath, [(0, "load")]),
            ])
    }

    @Test func memoize() throws {
        let right = Run()
        let outside = right.recorded(
            .memoize(
                by: \.name.first, sharing: Memo(timeToLive: .seconds(60), on: right.scheduler)),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: right.scheduler)),
            over: right.server(.succeeds(after: .milliseconds(100))))
        let wrong = Run()
        let beneath = wrong.recorded(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: wrong.scheduler)),
            .memoize(
                by: \.name.first, sharing: Memo(timeToLive: .seconds(60), on: wrong.scheduler)),
            over: wrong.server(.succeeds(after: .milliseconds(100))))
        let calls = [(at: 0, name: "a"), (at: 120, name: "b"), (at: 180, name: "a again")]
        try Picture.comparing(
            "memoize", title: "A memo outside a bulkhead and beneath it",
            description: """
                A bulkhead with one place, which the call b holds. Outside the bulkhead, the memo answers the second \
                call of a at once. Beneath it, the bulkhead refuses that call.
                """,
            [
                try right.panel("right: memoize outside the bulkhead", outside, calls),
                try wrong.panel("wrong: memoize beneath the bulkhead", beneath, calls),
            ])
    }
}
