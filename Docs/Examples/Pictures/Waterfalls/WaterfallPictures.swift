import Foundation
import Pledge
import Testing

/// The waterfall of README.md.
@Suite struct WaterfallPictures {
    private struct Product: Codable, Sendable {
        var id: Int
        var name: String
    }

    /// Answers two requests with 503, takes two seconds for the third, and is well then.
    private func busyShop(on scheduler: ManualScheduler) -> MemoryTransport {
        let slow = MemoryTransport.Answer.future { _ in
            Future(value: Data()).delay(.seconds(2), on: scheduler)
        }
        let answer = MemoryTransport.Answer.sequence([
            .status(503), .status(503), slow, .json(Product(id: 7, name: "iPad Pro")),
        ])
        return MemoryTransport(
            routes: [.get("/products/7", answer: answer)], latency: .milliseconds(30),
            on: scheduler)
    }

    @Test func busyServer() throws {
        let (scheduler, recorder) = (ManualScheduler(), CallRecorder())
        let networking = stack(
            .observed(named: { "\($0)" }),
            .deadline(.seconds(2), on: scheduler),
            .coalesce(),
            .retry(backoff: .constant(.milliseconds(50)), on: scheduler),
            .hedge(after: .milliseconds(100), on: scheduler),
            .timeout(.milliseconds(500), on: scheduler),
            over: busyShop(on: scheduler).request)
        let loadScreen = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "screen" }),
            over: { (path: String) in
                zip(networking(Endpoint(path: path)), networking(Endpoint(path: path)))
            })
        let shown = loadScreen("/products/7")
        scheduler.run()
        #expect(try shown.result?.get() != nil)
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
