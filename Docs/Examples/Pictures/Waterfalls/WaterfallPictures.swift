import Foundation
import Pledge
import PledgeObservation
import Testing

@testable import PledgeQuickstart

/// The picture of README.md, and what quickstart draws as text.
@Suite struct WaterfallPictures {
    @Test func firstCall() throws {
        let run = PolicyRun()
        let load = run.recorded(
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: run.scheduler),
            over: run.server(
                .fails(after: .milliseconds(40)), .succeeds(after: .milliseconds(60))))
        try Picture.comparing(
            "first-call", title: "A call to a busy server",
            description: """
                One call takes 150 ms: a first attempt that fails with 503, a wait of 50 ms, and a second attempt that \
                succeeds.
                """,
            [try run.panel("one call: 503, a wait, 200", load, [(0, "GET /products/7")])])
    }

    @Test func busyServer() throws {
        let recorder = CallRecorder()
        #expect(try loadOnABusyDay(recordedBy: recorder).result?.get().requests == 4)
        let picture = Picture(
            "waterfall", title: "A screen asks a busy server twice for one product",
            description: """
                A waterfall of one call in 240 ms. Both requests of the screen share one call. Its \
                first attempt fails twice with 503, once hedged. The second attempt is hedged \
                after 100 ms, and the hedge answers.
                """)
        try WaterfallPicture(picture, panels: [.init(trace: CallTrace(of: recorder))])
            .drawn().check()
    }
}
