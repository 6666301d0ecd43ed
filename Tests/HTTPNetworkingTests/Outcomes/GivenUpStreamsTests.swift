import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// A streamed response that a policy gives up releases its connection.
@Suite struct GivenUpStreamsTests {
    private let scheduler = ManualScheduler()
    private let released = Locked<[Int]>([])
    private let request = HTTPRequest(.get, URL(string: "https://example.com")!)

    private func answer(_ status: Int) -> @Sendable () throws -> HTTPStreamedResponse {
        { [released] in
            HTTPStreamedResponse(
                status: status,
                body: HTTPBodyStream(
                    next: { Promise() },
                    cancel: { released.withLock { $0.append(status) } }))
        }
    }

    @Test func aRetryLetsGoBeforeItWaits() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(502), answer(200)])
        let call = stack(
            .retry(backoff: .constant(.seconds(9)), on: scheduler), over: service.send)(request)
        scheduler.advance(by: .seconds(1))
        #expect(released.withLock { $0 } == [503])
        scheduler.run()
        #expect(released.withLock { $0 } == [503, 502])
        #expect(call.valueNow?.status == 200)
    }

    @Test func aRetryThatGivesItsResultBackKeepsTheBody() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(502)])
        let call = stack(
            .retry(attempts: 2, backoff: .constant(.zero), on: scheduler), over: service.send)(
                request)
        scheduler.run()
        #expect(call.valueNow?.status == 502)
        #expect(released.withLock { $0 } == [503])
    }

    @Test func aHedgeLetsTheLoserGo() {
        let service = AnsweringService(
            on: scheduler, latency: .milliseconds(100), [answer(201), answer(202)])
        let call = stack(
            .hedge(after: .milliseconds(50), on: scheduler), over: service.send)(request)
        scheduler.run()
        #expect(service.requests.count == 2)
        #expect(call.valueNow?.status == 201)
        #expect(released.withLock { $0 } == [])
    }

    @Test func aLoserThatAnswersAllTheSameIsLetGo() throws {
        // A service that ignores its cancellation.
        let pending = Locked<[Promise<HTTPStreamedResponse>]>([])
        let load = stack(
            .hedge(after: .milliseconds(50), on: scheduler),
            over: { (_: HTTPRequest) in
                let promise = Promise<HTTPStreamedResponse>()
                pending.withLock { $0.append(promise) }
                return promise
            })
        let call = load(request)
        scheduler.run()
        var calls = pending.withLock { calls in
            defer { calls = [] }
            return calls
        }
        try #require(calls.count == 2)
        calls.removeLast().resolve(with: try answer(202)())
        #expect(call.valueNow?.status == 202)
        calls.removeLast().resolve(with: try answer(201)())
        #expect(released.withLock { $0 } == [201])
    }

    @Test func aHedgeLetsTheFailureGo() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(200)])
        let call = stack(
            .hedge(after: .seconds(50), on: scheduler), over: service.send)(request)
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(released.withLock { $0 } == [503])
    }

    @Test func anAnswerThatNobodyWaitsForIsLetGo() throws {
        let pending = Locked<Promise<HTTPStreamedResponse>?>(nil)
        let load = stack(
            .coalesce(by: { _ in 0 }),
            over: { (_: HTTPRequest) in
                let promise = Promise<HTTPStreamedResponse>()
                pending.withLock { $0 = promise }
                return promise
            })
        load(request).cancel()
        try pending.withLock { promise in
            promise?.resolve(with: try answer(200)())
            #expect(promise?.valueNow?.status == 200)
            #expect(released.withLock { $0 } == [])
            promise = nil
        }
        #expect(released.withLock { $0 } == [200])
    }
}
