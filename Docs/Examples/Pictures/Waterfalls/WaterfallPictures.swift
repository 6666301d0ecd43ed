import Foundation
import Pledge
import Testing

@testable import quickstart

/// The waterfall of README.md: what quickstart draws as text.
@Suite struct WaterfallPictures {
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
