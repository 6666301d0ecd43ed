import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeInMemoryTransport
import Testing

@Suite struct AnswerComputedTests {
    private struct Refusal: Error {}

    private func request(
        _ answer: MemoryTransport.Answer,
        latency: Duration = .zero,
        on scheduler: ManualScheduler = ManualScheduler()
    ) -> Future<Data> {
        let transport = MemoryTransport(
            routes: [.post("/x/:id", answer: answer)],
            latency: latency,
            on: scheduler
        )
        return transport.request(
            Endpoint(path: "/x/a b", method: .post, body: .data(Data("body".utf8)))
        )
    }

    @Test func aClosureGetsTheCall() throws {
        let answer = MemoryTransport.Answer.reply { call in
            Data("\(call.parameters["id"] ?? "") ".utf8) + (call.endpoint.body.data ?? Data())
        }
        #expect(try request(answer).result?.get() == Data("a b body".utf8))
    }

    @Test func whatAClosureThrowsRejects() {
        let answers: [MemoryTransport.Answer] = [
            .reply { _ in throw Refusal() }, .respond { _ in throw Refusal() },
            .future { _ in throw Refusal() },
        ]
        for answer in answers {
            #expect(throws: Refusal.self) { try request(answer).result?.get() }
        }
    }

    @Test func aFutureAnswersWhenItSettles() throws {
        let promise = Promise<Data>()
        let future = request(.future { _ in promise })
        #expect(future.result == nil)
        promise.resolve(with: Data("late".utf8))
        #expect(try future.result?.get() == Data("late".utf8))
    }

    @Test func aClosureRunsWhenTheLatencyIsOver() throws {
        let scheduler = ManualScheduler()
        let future = request(
            .reply { [now = scheduler.now] _ in Data("\(now.duration(to: scheduler.now))".utf8) },
            latency: .seconds(3),
            on: scheduler
        )
        scheduler.advance(by: .seconds(5))
        #expect(try future.result?.get() == Data("\(Duration.seconds(3))".utf8))
    }

    @Test func cancellingCancelsTheFuture() {
        let promise = Promise<Data>()
        let cancelled = Locked(false)
        promise.onCancel { cancelled.withLock { $0 = true } }
        request(.future { _ in promise }).cancel()
        #expect(cancelled.withLock { $0 })
    }
}
