import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeInMemoryTransport
import PledgeServices
import Testing

/// A deadline over a MemoryTransport, as over a wire.
@Suite struct MemoryTransportDeadlineTests {
    private let scheduler = ManualScheduler()
    private let request = HTTPRequest(URL(string: "http://h/a")!)

    private func transport(
        _ answer: MemoryTransport.Answer = .text("ok"), latency: Duration = .seconds(5)
    ) -> MemoryTransport {
        MemoryTransport(routes: [.any("/a", answer: answer)], latency: latency, on: scheduler)
    }

    private func context(_ time: Duration) -> CallContext {
        CallContext(deadline: CallDeadline(after: time, on: scheduler))
    }

    private func error<Value>(_ future: Future<Value>) -> HTTPError? {
        guard case .failure(let error) = future.result else { return nil }
        return error as? HTTPError
    }

    @Test func theDeadlineOfTheContextEndsACall() throws {
        let transport = transport()
        let sent = context(.seconds(2)).run { transport.send(request) }
        let asked = context(.seconds(2)).run { transport.request(Endpoint(path: "/a")) }
        scheduler.advance(by: .milliseconds(1_999))
        #expect(!sent.isSettled && !asked.isSettled)
        scheduler.advance(by: .milliseconds(1))
        let late = try #require(error(sent))
        #expect(
            "\(late)"
                == "GET http://h/a failed: it timed out (cause: the deadline, after 2.0 seconds)")
        #expect(late.isTimeout && late.request == request)
        #expect(error(asked)?.code == .timedOut && error(asked)?.endpoint == Endpoint(path: "/a"))
        // The timers of the latency are freed.
        #expect(scheduler.isIdle)
    }

    /// The caller gets the policy's error, though the transport has set its timer before.
    @Test func aPolicyWithTheSameDeadlineComesFirst() throws {
        let sent = stack(
            .deadline(.seconds(2), on: scheduler), .retry(on: scheduler),
            over: transport().send)(request)
        let asked = stack(.deadline(.seconds(2), on: scheduler), over: transport().request)(
            Endpoint(path: "/a"))
        scheduler.advance(by: .seconds(2))
        for error in [sent.map { _ in Data() }, asked].map(\.failure) {
            #expect((error as? ServiceError)?.code == .deadlineExceeded)
        }
        #expect(scheduler.isIdle)
    }

    @Test func anAnswerInTimeIsTheResult() throws {
        let future = context(.seconds(6)).run { transport().send(request) }
        scheduler.advance(by: .seconds(5))
        #expect(try future.result?.get().text == "ok")
        #expect(scheduler.isIdle)
    }

    @Test func anAnswerThatNeverComesIsGivenUp() {
        let cancelled = Locked(false)
        let never = Promise<HTTPResponse>()
        never.onCancel { cancelled.withLock { $0 = true } }
        let transport = transport(.future { _ in never }, latency: .zero)
        let future = context(.seconds(2)).run { transport.send(request) }
        scheduler.advance(by: .seconds(2))
        #expect(error(future)?.code == .timedOut)
        #expect(cancelled.withLock { $0 })
    }

    @Test func aBodyThatNeverEndsIsGivenUp() {
        let (pipe, body) = HTTPBodyPipe.make()
        var upload = HTTPRequest(.post, request.url)
        upload.body = .stream(.init(isReplayable: false) { body })
        let future = context(.seconds(2)).run { transport().send(upload) }
        scheduler.advance(by: .seconds(2))
        #expect(error(future)?.code == .timedOut)
        #expect(!pipe.isOpen)
    }

    /// The request is not answered, as it is not sent over a wire.
    @Test func withoutTimeNothingIsAnswered() {
        let transport = transport(latency: .zero)
        #expect(error(context(.zero).run { transport.send(request) })?.code == .timedOut)
        let asked = context(.zero).run { transport.request(Endpoint(path: "/a")) }
        #expect(error(asked)?.code == .timedOut)
        #expect(transport.calls.count == 2 && transport.calls.allSatisfy { $0.route == nil })
        var wrong = request
        wrong.headers["TE"] = "x"
        #expect(throws: Endpoint.Error.reservedHeader(name: "TE")) {
            try context(.zero).run { transport.send(wrong) }.result?.get()
        }
    }
}

extension Future {
    fileprivate var failure: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}
