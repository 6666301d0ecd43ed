import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

struct MockCallTests {
    private let network = MockNetwork()
    private struct Refusal: Error, Equatable {}

    @Test func answersWithJSON() throws {
        let future = network.request(Endpoint(path: "/")).decoded(
            as: [String: Int].self,
            using: .init()
        )

        try network.next().answer(with: .json(["a": 1]))

        #expect(try future.settledValue() == ["a": 1])
    }

    @Test func answersWithAnError() throws {
        let future = network.request(Endpoint(path: "/"))

        try network.next().answer(with: .failure(Refusal()))

        #expect(throws: Refusal()) { try future.settledValue() }
    }

    @Test func aStatusThatIsNoSuccessRejectsAsATransportWould() throws {
        let future = network.request(Endpoint(path: "/p"))

        try network.next().answer(
            with: .status(404, headers: ["X-Why": "gone"], body: Data("nothing".utf8))
        )

        let error = try #require(throws: HTTPError.self) { try future.settledValue() }
        #expect(error.code == .unacceptableStatus)
        #expect(error.status == 404)
        #expect(error.headers["X-Why"] == "gone")
        #expect(error.body == Data("nothing".utf8))
        #expect(error.endpoint == Endpoint(path: "/p"))
    }

    @Test func anyStatusOfSuccessResolves() throws {
        let future = network.request(Endpoint(path: "/p"))

        try network.next().answer(with: .status(201, body: Data("made".utf8)))

        #expect(try future.settledValue() == Data("made".utf8))
    }

    @Test func theFirstAnswerStands() throws {
        let future = network.request(Endpoint(path: "/"))
        let call = try network.next()

        #expect(call.answer(with: .text("first")))
        #expect(!call.answer(with: .text("second")))

        #expect(try future.settledValue() == Data("first".utf8))
        #expect(call.description == "call 1, GET /, answered")
    }

    @Test func tellsThatItWasCancelled() throws {
        let future = network.request(Endpoint(path: "/"))
        let call = try network.next()
        #expect(!call.isCancelled)
        #expect(call.description == "call 1, GET /, waiting for its answer")

        future.cancel()

        #expect(call.isCancelled)
        #expect(!call.isPending)
        #expect(!call.answer(with: .text("too late")))
        #expect(throws: CancellationError.self) { try future.settledValue() }
        #expect(call.description == "call 1, GET /, cancelled")
        #expect(network.pending.isEmpty)
    }

    @Test func cancellingWhatWasMadeOfItCancelsIt() throws {
        let future = network.request(Endpoint(path: "/")).map(\.count).map { $0 + 1 }
        let call = try network.next()

        future.cancel()

        #expect(call.isCancelled)
    }

    @Test func aCallThatIsLetGoOfUnansweredRejects() throws {
        let future = network.request(Endpoint(path: "/products/7"))

        _ = try network.next()

        let error = try #require(throws: MockError.self) { try future.settledValue() }
        #expect(error.code == .abandoned)
        #expect("\(error)".hasPrefix("call 1, GET /products/7, was let go of unanswered"))
    }

    @Test func anAnswerThatCannotBeEncodedFailsTheCall() throws {
        let future = network.request(Endpoint(path: "/a"))
        try network.next().answer(with: .json(Double.nan))
        let error = try #require(throws: MemoryTransport.AnswerFailure.self) {
            try future.settledValue()
        }
        #expect(error.cause is EncodingError)
        #expect("\(error)".hasPrefix("the answer to GET /a cannot encode the Double as JSON"))
    }

    @Test func aCallIsAnsweredWhenTheAnswersFutureSettles() throws {
        let (first, second) = (Promise<HTTPResponse>(), Promise<HTTPResponse>())
        let (answered, cancelled) = (
            network.request(Endpoint(path: "/")), network.request(Endpoint(path: "/"))
        )
        let call = try network.next()
        call.answer(with: .future { _ in first })
        #expect(!call.isPending && !answered.isSettled)
        #expect(!call.answer(with: .text("another")))
        first.resolve(with: HTTPResponse(status: 200, body: Data("1".utf8)))
        #expect(try answered.settledValue() == Data("1".utf8))
        try network.next().answer(with: .future { _ in second })
        let end = Locked(false)
        second.onCancel { end.withLock { $0 = true } }
        cancelled.cancel()
        #expect(end.withLock { $0 })
    }
}

@Suite(.oneAtATime) struct MockCancellationTests {
    @Test func aTestAwaitsThatATaskCancelsItsCall() async throws {
        let network = MockNetwork()
        let loading = Task { try await network.request(Endpoint(path: "/products/7")).value }
        let call = try await network.next()
        #expect(!call.cancellation.isSettled)
        loading.cancel()
        try await call.cancellation.value
        #expect(call.isCancelled)
        await #expect(throws: CancellationError.self) { try await loading.value }
    }

    @Test("its cancellation fails: who awaits it would wait for ever")
    func anAnsweredCallIsNeverCancelled() throws {
        let network = MockNetwork()
        let answer = network.request(Endpoint(path: "/products/7"))
        let call = try network.next()
        let cancellation = call.cancellation
        call.answer(with: Data())
        answer.cancel()
        #expect(answer.isSettled && !call.isCancelled)
        let error = try #require(throws: MockError.self) { try cancellation.result?.get() }
        #expect(error.code == .answered)
        #expect("\(error)".hasPrefix("call 1, GET /products/7, was answered"))
    }

    @Test func theCancellationOfAReleasedCallFails() throws {
        let network = MockNetwork()
        let answer = network.request(Endpoint(path: "/products/7"))
        var call: MockCall? = try network.next()
        let cancellation = try #require(call?.cancellation)
        call = nil
        #expect(answer.isSettled)
        let error = try #require(throws: MockError.self) { try cancellation.result?.get() }
        #expect(error.code == .abandoned)
    }

    /// Giving up one future of the cancellation leaves the others.
    @Test func twoMayAwaitIt() throws {
        let network = MockNetwork()
        let answer = network.request(Endpoint(path: "/products/7"))
        let call = try network.next()
        call.cancellation.cancel()
        let second = call.cancellation
        answer.cancel()
        #expect(second.isSettled)
    }
}
