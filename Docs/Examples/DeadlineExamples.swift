import Foundation
// snippet: imports
import Pledge
import PledgeFutures
// end snippet
import Testing

/// The code of Docs/Policies/Deadline.md.
@Suite struct DeadlineExamples {
    // snippet: broken
    struct Broken: Error {}
    // end snippet

    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let slowAndBroken: Service<Int, String> = { _ in
            Future(value: CallContext.current.attempt).delay(.seconds(1), on: scheduler)
                .flatMap { attempt in
                    log("attempt \(attempt) failed")
                    return Future(error: Broken())
                }
        }
        let load = stack(
            .deadline(.seconds(10), on: scheduler),
            .retry(Retry(attempts: 9, backoff: .constant(.seconds(4))), on: scheduler),
            over: slowAndBroken)

        load(7).observe { result in log("\(result)") }
        scheduler.run()
        // end snippet
        let seen = lines.lines.map { $0.replacing("Examples.DeadlineExamples.", with: "") }
        #expect(
            seen == [
                "1.0 seconds: attempt 1 failed",
                "6.0 seconds: attempt 2 failed",
                "6.0 seconds: failure(Broken())",
            ])
    }

    // snippet: streamed
    func loadFilm(_ film: HTTPRequest, by client: HTTPClient) -> Future<HTTPStreamedResponse> {
        let deadline = CallDeadline(after: .seconds(600), on: client.scheduler)
        return CallContext.current.with(deadline: deadline).run { client.futures.stream(film) }
    }
    // end snippet

    @Test func aStreamedBody() throws {
        let scheduler = ManualScheduler()
        let film = HTTPRequest(URL(string: "https://films.example.com/7")!)
        var client = HTTPClient(base: film.url, over: SlowBody())
        client.scheduler = scheduler
        client.deadline = .seconds(3)
        let ofSlot = try #require(try client.futures.stream(film).result?.get())
        let ofContext = try #require(try loadFilm(film, by: client).result?.get())
        let (first, second) = (ofSlot.body.next(), ofContext.body.next())
        scheduler.advance(by: .seconds(600))
        #expect(!first.isSettled)
        guard case .failure(let error) = second.result else {
            Issue.record("the deadline of the context did not end the body")
            return
        }
        #expect(error.isTimeout)
    }

    /// A transport that keeps deadlines, whose responses come at once and their bodies never.
    private struct SlowBody: HTTPTransport {
        let never = Promise<Data?>()

        func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
            Future(value: HTTPResponse(status: 200))
        }

        func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
            let deadline = CallContext.current.deadline
            let body = HTTPBodyStream { [never] in
                guard let deadline else { return never.map { $0 } }
                return never.timeout(deadline.remaining, on: deadline.scheduler)
            }
            return Future(value: HTTPStreamedResponse(status: 200, body: body))
        }
    }

    @Test func remaining() {
        // snippet: remaining
        let transport: Service<Int, Duration> = { _ in
            Future(value: CallContext.current.remaining ?? .seconds(60))
        }
        // end snippet
        let scheduler = ManualScheduler()
        let load = stack(.deadline(.seconds(10), on: scheduler), over: transport)
        #expect(load(7).result.flatMap { try? $0.get() } == .seconds(10))
        #expect(transport(7).result.flatMap { try? $0.get() } == .seconds(60))
    }
}
