import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct URLSessionRequestCancelTests {
    @Test func cancellingWhileTheServerThinksHangsUp() async throws {
        let thinking = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { _ in thinking })
        let future = URLSession.patient.request(Endpoint(url: server.url))
        _ = try await server.received(1).value

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).value
    }

    @Test func cancellingInTheMiddleOfTheBodyHangsUp() async throws {
        let never = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.truncated("half", of: 8).steps.dropLast() + [.hold(never)]
            )
        }
        let future = URLSession.patient.request(Endpoint(url: server.url))
        _ = try await server.received(1).value

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).value
        never.resolve(with: ())
    }

    @Test func cancellingAtOnceLeavesNoConnectionBehind() async throws {
        let thinking = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { _ in thinking })
        let future = URLSession.patient.request(Endpoint(url: server.url))

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        // The session has released the task before it ends another one.
        thinking.resolve(with: .text("late"))
        _ = try await URLSession.patient.request(Endpoint(path: "/next", base: server.url)).value
        #expect(server.requests.filter { $0.target == "/next" }.count == 1)
    }

    @Test func cancellingAfterTheAnswerChangesNothing() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let future = URLSession.patient.request(Endpoint(url: server.url))
        let data = try await future.value

        future.cancel()

        #expect(try future.result?.get() == data)
    }

    @Test func oneCancelledCallLeavesTheOthersAlone() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        let futures = (0..<4).map { index in
            URLSession.patient.request(Endpoint(path: "/\(index)", base: server.url))
        }
        _ = try await server.received(4).value

        futures[2].cancel()
        try await server.hungUp(1).value
        go.resolve(with: ())

        for index in [0, 1, 3] {
            let data = try await futures[index].value
            #expect(String(decoding: data, as: UTF8.self) == "/\(index)")
        }
    }

    @Test func twoHundredAtOnceAreAllAnsweredWithTheirOwn() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let futures = (0..<200).map { index in
            URLSession.patient.request(Endpoint(path: "/\(index)", base: server.url))
        }

        let answers = try await Future.all(futures).value

        let texts = answers.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts == (0..<200).map { "/\($0)" })
        #expect(Set(server.requests.map(\.target)).count == 200)
    }

    @Test func cancellingAtAnyMomentNeverTraps() async throws {
        let server = try LoopbackServer { _ in .text("quick") }
        for round in 0..<1000 {
            let future = URLSession.patient.request(Endpoint(path: "/\(round)", base: server.url))
            for _ in 0..<(round % 40) { await Task.yield() }
            future.cancel()
            switch await future.resultWhenSettled {
            case .success(let data): #expect(data.count == 5)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        let last = try await URLSession.patient.request(Endpoint(url: server.url)).value
        #expect(last.count == 5)
    }

    /// The cancellation and the session's question whether to follow are combined at every moment in turn.
    ///
    /// If the question is answered too late, FoundationNetworking stops the process.
    @Test(arguments: [302, 307, 401])
    func cancellingWhileBeingSentElsewhere(status: Int) async throws {
        let server = try LoopbackServer { request in
            if request.target == "/end" { return .text("end") }
            return .text(
                "", status: status,
                headers: ["Location": "/end", "WWW-Authenticate": "Basic realm=\"a\""])
        }
        let queue = DispatchQueue(label: "cancelling")
        for round in 0..<300 {
            let endpoint = Endpoint(path: "/start", method: .get, base: server.url)
            let future = URLSession.patient.request(endpoint)
            let requests = server.received(server.requests.count + round % 3)
            requests.observe { _ in queue.async { future.cancel() } }
            _ = await future.resultWhenSettled
            requests.cancel()
        }
        let data = try await URLSession.patient.request(Endpoint(path: "/end", base: server.url))
            .value
        #expect(data == Data("end".utf8))
    }
}
