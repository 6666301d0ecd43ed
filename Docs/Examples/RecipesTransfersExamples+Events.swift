import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

extension RecipesTransfersExamples {
    @Test func followedUntilItIsGone() async throws {
        let server = URL(string: "https://news.example")!
        let news = MemoryTransport(routes: [
            .get(
                "/news",
                answer: .sequence([
                    .text("retry: 100\n\nid: 1\ndata: one\n\n"),
                    .failure(HTTPError(code: .connectionLost)), .status(503),
                    .text("id: 2\ndata: two\n\n"), .status(204),
                ]))
        ])
        let (scheduler, seen) = (ManualScheduler(), ExampleLog())
        var client = HTTPClient(base: server, over: news)
        (client.scheduler, client.retry, client.acceptedStatuses) = (scheduler, nil, 200...200)
        // The test's time runs on while a call waits for a processor.
        (client.attemptTimeout, client.deadline) = (nil, nil)
        let following = Task { [client] in
            try await follow(server.appending(path: "news"), by: client) { seen.add($0.data) }
        }
        #expect(
            await comesTrue {
                scheduler.advance(by: .milliseconds(100))
                return news.calls.count == 5
            })
        let error = await #expect(throws: HTTPError.self) { try await following.value }
        #expect(error?.status == 204)
        #expect(seen.lines == ["one", "two"])
        let known = news.calls.map { $0.request?.headers["Last-Event-ID"] }
        #expect(known == [nil, "1", "1", "1", "2"])
    }
}
