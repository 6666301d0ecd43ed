import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

/// The life of an exchange, without a wire.
struct TransportExchangeTests {
    private let scheduler = ManualScheduler()
    private let url = URL(string: "http://a/")!

    /// An exchange, its recipient, and the errors with which it was asked to stop.
    private final class Bench: Sendable {
        let exchange: TransportExchange
        let whole = InternalPromise<HTTPResponse>()
        let streamed = InternalPromise<HTTPStreamedResponse>()
        let stops = Locked<[any Error]>([])

        init(
            _ request: HTTPRequest, isStreamed: Bool, _ limits: TransportExchange.Limits,
            in context: CallContext, on scheduler: ManualScheduler
        ) throws {
            let recipient: TransportExchange.Recipient =
                isStreamed ? .streamed(streamed) : .whole(whole)
            exchange = try context.run {
                try TransportExchange(request, for: recipient, within: limits, on: scheduler)
            }
            exchange.watch { [exchange, stops] reason in
                stops.withLock { $0.append(reason) }
                exchange.fail(with: reason)
            }
        }

        @discardableResult
        func receive(_ text: String) -> HTTPError? {
            Data(text.utf8).withUnsafeBytes { exchange.receive($0) }
        }

        /// Passes bytes on; returns whether there is space for more.
        func pass(_ data: Data, goingOn goOn: @escaping @Sendable () -> Void = {}) -> Bool {
            exchange.pass(data, goingOn: goOn)
        }

        var error: HTTPError? { (whole.errorNow ?? streamed.errorNow) as? HTTPError }
    }

    private func bench(
        _ method: HTTPMethod = .get, isStreamed: Bool = false, maxBodySize: Int = 10,
        in context: CallContext = CallContext()
    ) throws -> Bench {
        let limits = TransportExchange.Limits(
            maxBodySize: maxBodySize, maxUnreadBytes: 10,
            idle: IdleWatches(.seconds(10), on: scheduler),
            connectionWait: IdleWatches(.seconds(60), on: scheduler))
        return try Bench(
            HTTPRequest(method, url), isStreamed: isStreamed, limits, in: context, on: scheduler)
    }

    private func head(_ status: Int = 200, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers)
    }

    // MARK: The response

    @Test func anExchangeCollectsAWholeResponse() throws {
        let bench = try bench()
        scheduler.advance(by: .seconds(2))
        #expect(bench.exchange.receive(head()) == nil)
        scheduler.advance(by: .seconds(1))
        bench.receive("01234")
        bench.receive("56789")
        bench.exchange.finish()
        let response = try #require(bench.whole.valueNow)
        #expect(response.text == "0123456789" && response.url == url)
        #expect(response.request == bench.exchange.request)
        #expect(response.timing == HTTPTiming(untilHeaders: .seconds(2), total: .seconds(3)))
    }

    @Test func anExchangeDeliversAStreamPieceByPiece() throws {
        let bench = try bench(isStreamed: true)
        #expect(bench.exchange.receive(head()) == nil)
        let body = try #require(bench.streamed.valueNow).body
        #expect(bench.pass(Data("one".utf8)))
        #expect(body.next().valueNow == Data("one".utf8))
        let next = body.next()
        #expect(!next.isSettled)
        bench.exchange.finish()
        #expect(next.valueNow == .some(nil))
    }

    @Test func aFullBodyStopsTheTransportUntilItsReaderHasRead() throws {
        let bench = try bench(isStreamed: true)
        _ = bench.exchange.receive(head())
        let body = try #require(bench.streamed.valueNow).body
        let goesOn = Locked(0)
        let hasRoom = bench.pass(Data(count: 10)) { goesOn.withLock { $0 += 1 } }
        #expect(!hasRoom)
        // A reader may take its time.
        scheduler.advance(by: .seconds(1_000))
        #expect(goesOn.withLock { $0 } == 0 && bench.stops.withLock { $0.isEmpty })
        #expect(body.next().valueNow == Data(count: 10))
        #expect(goesOn.withLock { $0 } == 1)
    }

    @Test func theIdleLimitCountsWhileTheReaderAsks() throws {
        let bench = try bench(isStreamed: true)
        _ = bench.exchange.receive(head())
        let body = try #require(bench.streamed.valueNow).body
        for _ in 0..<2 {
            scheduler.advance(by: .seconds(1_000))
            // Neither a chunk that waits for its reader nor a sign from the sending counts for it.
            #expect(bench.pass(Data("a".utf8)))
            bench.exchange.noteSign()
            scheduler.advance(by: .seconds(1_000))
            #expect(body.next().valueNow == Data("a".utf8))
        }
        scheduler.advance(by: .seconds(1_000))
        let next = body.next()
        scheduler.advance(by: .seconds(9))
        #expect(!next.isSettled)
        scheduler.advance(by: .seconds(2))
        #expect((next.errorNow as? HTTPError)?.code == .timedOut)
    }

    @Test func aReadersLimitOfTheIdleTimeReplacesTheTransportsAfterTheHead() throws {
        var request = HTTPRequest(url)
        request.context.readerLimitsIdleTime = true
        let limits = TransportExchange.Limits(
            maxBodySize: 10, maxUnreadBytes: 10, idle: IdleWatches(.seconds(10), on: scheduler))
        let bench = try Bench(
            request, isStreamed: true, limits, in: CallContext(), on: scheduler)
        _ = bench.exchange.receive(head())
        let next = try #require(bench.streamed.valueNow).body.next()
        scheduler.advance(by: .seconds(1_000))
        #expect(!next.isSettled)
        #expect(bench.pass(Data("a".utf8)) && next.isSettled)
        let silent = try Bench(
            request, isStreamed: true, limits, in: CallContext(), on: scheduler)
        scheduler.advance(by: .seconds(11))
        #expect(silent.error?.code == .timedOut)
    }

    @Test func interimAndRepeatedHeadsAreNotTheAnswers() throws {
        let bench = try bench(isStreamed: true)
        for status in [100, 103, 404, 200] { #expect(bench.exchange.receive(head(status)) == nil) }
        #expect(bench.streamed.valueNow?.status == 404)
    }

    @Test func withoutAHeadThereIsNoAnswer() throws {
        let bench = try bench()
        bench.exchange.finish()
        #expect(bench.error?.code == .badResponse)
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func aCollectedBodyIsBounded(size: Int, isAllowed: Bool) throws {
        let bench = try bench()
        _ = bench.exchange.receive(head())
        bench.receive("01234")
        let refusal = bench.receive(String(repeating: "x", count: size - 5))
        #expect((refusal == nil) == isAllowed)
        guard let refusal else { return }
        #expect(refusal.code == .bodyTooLarge)
        #expect(refusal.reason == "its body has more than 10 bytes")
        bench.exchange.fail(with: refusal)
        // What is too large to be kept is not kept in part either.
        #expect(bench.error?.response?.status == 200 && bench.error?.body.isEmpty == true)
    }

    @Test(arguments: [(HTTPMethod.get, 200, true), (.head, 200, false), (.get, 304, false)])
    func anAnnouncedLengthCountsBeforeTheFirstByte(
        method: HTTPMethod, status: Int, isRefused: Bool
    ) throws {
        let bench = try bench(method)
        let refusal = bench.exchange.receive(head(status, ["Content-Length": "11"]))
        #expect(refusal?.code == (isRefused ? .bodyTooLarge : nil))
    }

    @Test(arguments: [false, true])
    func aLengthThatIsNotOneNumberIsNoAnswer(isStreamed: Bool) throws {
        let bench = try bench(isStreamed: isStreamed)
        let refusal = bench.exchange.receive(head(200, ["Content-Length": "5, 3"]))
        #expect(refusal?.code == .badResponse)
        bench.exchange.fail(with: try #require(refusal))
        #expect(bench.error?.status == 200)
    }

    @Test(arguments: [false, true])
    func aBodyThatEndsEarlyIsNoAnswer(isStreamed: Bool) throws {
        let bench = try bench(isStreamed: isStreamed)
        _ = bench.exchange.receive(head(200, ["Content-Length": "5"]))
        let body = bench.streamed.valueNow?.body
        if isStreamed {
            #expect(bench.pass(Data("half".utf8)))
        } else {
            bench.receive("half")
        }
        #expect(!bench.exchange.isComplete() && bench.exchange.isComplete(with: 1))
        bench.exchange.finish()
        if let body {
            #expect(body.next().valueNow == Data("half".utf8))
            #expect((body.next().errorNow as? HTTPError)?.code == .connectionLost)
        } else {
            #expect(bench.error?.code == .connectionLost && bench.error?.body == Data("half".utf8))
        }
    }

    @Test func anErrorKeepsThePartThatHasArrived() throws {
        let bench = try bench()
        _ = bench.exchange.receive(head(500))
        bench.receive("half")
        bench.exchange.fail(with: HTTPError(code: .connectionLost))
        #expect(bench.error?.request == bench.exchange.request)
        #expect(bench.error?.status == 500 && bench.error?.body == Data("half".utf8))
    }

    @Test func onlyTheFirstEndOfAnExchangeCounts() throws {
        let bench = try bench()
        _ = bench.exchange.receive(head())
        bench.exchange.finish()
        bench.exchange.fail(with: HTTPError(code: .connectionLost))
        bench.exchange.stop(because: CancellationError())
        #expect(bench.whole.valueNow?.status == 200)
        #expect(bench.stops.withLock { $0.isEmpty })
    }

    @Test func aResponseThatIsDiscardedLeavesNothing() throws {
        let bench = try bench()
        _ = bench.exchange.receive(head(401, ["Content-Length": "4"]))
        bench.receive("none")
        bench.exchange.startAgain()
        #expect(!bench.exchange.hasHead)
        _ = bench.exchange.receive(head())
        bench.receive("yes")
        bench.exchange.finish()
        #expect(bench.whole.valueNow?.text == "yes")
    }

    @Test func theReportOfTheConnectionGoesWithTheResponse() throws {
        let bench = try bench()
        var report = ConnectionMetrics()
        report.protocolVersion = "HTTP/2"
        _ = bench.exchange.receive(head())
        bench.exchange.noteConnection(report)
        bench.exchange.finish()
        #expect(bench.whole.valueNow?.timing.connection == report)
    }

    // MARK: The limits

    @Test func anExchangeIsIdleFromItsLastSignOn() throws {
        let bench = try bench()
        for _ in 0..<3 {
            scheduler.advance(by: .seconds(9))
            bench.exchange.noteSign()
        }
        bench.exchange.expectNothing()
        scheduler.advance(by: .seconds(1_000))
        bench.exchange.noteSign()
        scheduler.advance(by: .seconds(9))
        #expect(!bench.whole.isSettled)
        scheduler.advance(by: .seconds(2))
        #expect(bench.error?.code == .timedOut)
        #expect(bench.error?.reason == "the idle limit of 10.0 seconds")
        #expect(bench.error?.advisedOutcome == .retryable(fault: .network))
    }

    @Test func theDeadlineSaysNothingAboutTheService() throws {
        let deadline = CallDeadline(after: .seconds(3), on: scheduler)
        let bench = try bench(in: CallContext(deadline: deadline))
        scheduler.advance(by: .seconds(3))
        #expect(bench.error?.reason == "the deadline, after 3.0 seconds")
        #expect(bench.error?.advisedOutcome == .outOfTime)
        #expect(bench.error?.isCertainlyUnsent == false)
        #expect(throws: HTTPError.self) { try self.bench(in: CallContext(deadline: deadline)) }
    }

    @Test func aDeadlineThatPassesDuringAWaitForAConnectionSaysSo() throws {
        let deadline = CallDeadline(after: .seconds(3), on: scheduler)
        let bench = try bench(in: CallContext(deadline: deadline))
        scheduler.advance(by: .seconds(1))
        bench.exchange.waitForConnection()
        scheduler.advance(by: .seconds(2))
        #expect(
            bench.error?.reason
                == "the deadline, after 3.0 seconds; it waited 2.0 seconds for a free connection")
    }

    @Test func aPolicysDeadlineThatPassesDuringAWaitForAConnectionSaysSo() throws {
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let exchange = Locked<TransportExchange?>(nil)
        let service = stack(
            .observed(by: observer, on: scheduler), .deadline(.seconds(5), on: scheduler),
            .retry(on: scheduler), .timeout(.seconds(9), on: scheduler),
            over: { [scheduler] (request: HTTPRequest) -> Future<HTTPResponse> in
                let limits = TransportExchange.Limits(maxBodySize: 10, maxUnreadBytes: 10)
                let promise = InternalPromise<HTTPResponse>()
                exchange.withLock {
                    $0 = try? TransportExchange(
                        request, for: .whole(promise), within: limits, on: scheduler)
                }
                return promise
            })
        let call = service(HTTPRequest(url))
        scheduler.advance(by: .seconds(1))
        exchange.withLock { $0 }?.waitForConnection()
        #expect(notes.withLock { $0 } == ["waits for a free connection"])
        scheduler.advance(by: .seconds(2))
        exchange.withLock { $0 }?.stopWaiting()
        scheduler.advance(by: .seconds(2))
        let error = try #require(call.errorNow as? ServiceError)
        #expect(error.code == .deadlineExceeded)
        #expect(error.description.hasSuffix("; it waited 2.0 seconds for a free connection"))
    }

    @Test func aCallerWhoLeavesStopsTheTransport() throws {
        let bench = try bench()
        bench.whole.cancel()
        #expect(bench.stops.withLock { $0.count } == 1)
        #expect(bench.stops.withLock { $0.first } is CancellationError)
    }

    @Test func whoGivesUpABodyStopsTheTransport() throws {
        let bench = try bench(isStreamed: true)
        _ = bench.exchange.receive(head())
        bench.streamed.valueNow?.body.cancel()
        #expect(bench.stops.withLock { $0.first } is CancellationError)
    }

    // MARK: Unusual orders

    @Test func whatWasEndedBeforeItIsWatchedStopsThen() throws {
        let promise = InternalPromise<HTTPResponse>()
        let exchange = try TransportExchange(
            HTTPRequest(url), for: .whole(promise),
            within: .init(maxBodySize: 10, maxUnreadBytes: 10), on: scheduler)
        exchange.stop(because: HTTPError(code: .connectionLost))
        exchange.watch { exchange.fail(with: $0) }
        #expect((promise.errorNow as? HTTPError)?.code == .connectionLost)
    }

    @Test func aSecondWatchLeavesNothing() throws {
        let context = CallContext(deadline: CallDeadline(after: .seconds(500), on: scheduler))
        let bench = try bench(in: context)
        bench.exchange.watch { _ in Issue.record("the second watch stops the transport") }
        bench.whole.cancel()
        #expect(bench.stops.withLock { $0.count } == 1)
        scheduler.advance(by: .seconds(20))
        #expect(scheduler.isIdle)
    }

    @Test func anEndThatComesWithTheHeadIsNotLost() throws {
        let promise = InternalPromise<HTTPStreamedResponse>()
        let exchange = Locked<TransportExchange?>(nil)
        let limits = TransportExchange.Limits(
            maxBodySize: 10, maxUnreadBytes: 10,
            makeBody: { pipe in
                exchange.withLock { $0 }?.fail(with: HTTPError(code: .connectionLost))
                return pipe
            })
        let made = try TransportExchange(
            HTTPRequest(url), for: .streamed(promise), within: limits, on: scheduler)
        exchange.withLock { $0 = made }
        #expect(made.receive(head()) == nil)
        let error = promise.errorNow ?? promise.valueNow?.body.next().errorNow
        #expect((error as? HTTPError)?.code == .connectionLost)
    }

    // MARK: What is sent

    @Test func aRequestThatWaitsForAConnectionIsNotSent() throws {
        let record = CallRecord()
        let bench = try bench(.post, in: CallContext().with(record: record))
        #expect(record.verdict == .repeatable)
        bench.exchange.waitForConnection()
        scheduler.advance(by: .seconds(59))
        #expect(!bench.whole.isSettled && record.verdict == .repeatable)
        scheduler.advance(by: .seconds(2))
        // It is refused by this process, which says nothing about the host.
        #expect(bench.error?.reason == "the limit of 60.0 seconds for a free connection")
        #expect(bench.error?.advisedOutcome == .refusal && bench.error?.isCertainlyUnsent == true)
        #expect(record.close() == .repeatable)
    }

    @Test(arguments: [(200, CallRecord.Verdict.harmful), (401, .repeatable)])
    func whatIsSentIsNotedOnceItHasAConnection(
        status: Int, verdict: CallRecord.Verdict
    ) throws {
        for isStreamed in [false, true] {
            let record = CallRecord()
            let bench = try bench(
                .post, isStreamed: isStreamed, in: CallContext().with(record: record))
            bench.exchange.waitForConnection()
            try bench.exchange.willSend()
            #expect(record.verdict == .harmful)
            // Sent again by the transport, it is still one request.
            try bench.exchange.willSend()
            _ = bench.exchange.receive(head(status))
            if !isStreamed { bench.exchange.finish() }
            #expect(record.verdict == verdict)
        }
    }

    @Test(arguments: [true, false])
    func aLargeBodyInMemoryIsAnUploadLikeAFile(isLarge: Bool) throws {
        let record = CallRecord()
        let count = HTTPRequest.Body.largestPiece + (isLarge ? 1 : 0)
        let limits = TransportExchange.Limits(maxBodySize: 10, maxUnreadBytes: 10)
        let bench = try Bench(
            HTTPRequest(.put, url, body: .data(Data(count: count))), isStreamed: false, limits,
            in: CallContext().with(record: record), on: scheduler)
        try bench.exchange.willSend()
        for _ in 0..<3 {
            scheduler.advance(by: .seconds(5))
            bench.exchange.noteSign()
        }
        scheduler.advance(by: .seconds(5))
        #expect(record.time(of: .upload) == (isLarge ? .seconds(15) : .zero))
    }

    /// The thread of the transport may give it a connection before it learns of the end.
    @Test func anExchangeThatHasEndedIsNotSent() throws {
        let record = CallRecord()
        let bench = try bench(.post, in: CallContext().with(record: record))
        bench.exchange.waitForConnection()
        bench.exchange.stop(because: CancellationError())
        #expect(throws: CancellationError.self) { try bench.exchange.willSend() }
        #expect(record.close() == .repeatable)
    }

    @Test func anAttemptThatIsOverSendsNothing() throws {
        let record = CallRecord()
        let bench = try bench(.post, in: CallContext().with(record: record))
        bench.exchange.waitForConnection()
        #expect(record.close() == .repeatable)
        #expect(throws: ServiceError.self) { try bench.exchange.willSend() }
        #expect(throws: ServiceError.self) {
            try self.bench(in: CallContext().with(record: record))
        }
    }
}

/// Events in random orders, such as a transport, its reader and its caller may cause together.
struct TransportExchangeOrderTests {
    private final class Order: Sendable {
        let scheduler = ManualScheduler()
        let record = CallRecord()
        let whole = InternalPromise<HTTPResponse>()
        let streamed = InternalPromise<HTTPStreamedResponse>()
        let stops = Locked(0)
        let exchange: TransportExchange

        init(isStreamed: Bool) throws {
            let limits = TransportExchange.Limits(
                maxBodySize: 40, maxUnreadBytes: 10, idle: IdleWatches(.seconds(30), on: scheduler),
                connectionWait: IdleWatches(.seconds(20), on: scheduler))
            let context = CallContext(deadline: CallDeadline(after: .seconds(90), on: scheduler))
            let request = HTTPRequest(
                .put, URL(string: "http://a/")!,
                body: .data(Data(count: HTTPRequest.Body.largestPiece + 1)))
            exchange = try context.with(record: record).run {
                [scheduler, whole, streamed] in
                try TransportExchange(
                    request, for: isStreamed ? .streamed(streamed) : .whole(whole), within: limits,
                    on: scheduler)
            }
        }

        func perform(_ event: Int) {
            switch event {
            case 0:
                exchange.watch { [exchange, stops] in
                    stops.withLock { $0 += 1 }
                    exchange.fail(with: $0)
                }
            case 1: exchange.waitForConnection()
            case 2: exchange.stopWaiting()
            case 3: try? exchange.willSend()
            case 4: exchange.noteSentBytes()
            case 5: exchange.expectNothing()
            case 6: receive(103)
            case 7: receive(200)
            case 8: receive(200, ["Content-Length": "5, 3"])
            case 9: _ = Data(count: 7).withUnsafeBytes { exchange.receive($0) }
            case 10: _ = exchange.pass(Data(count: 7)) {}
            case 11: _ = streamed.valueNow?.body.next()
            case 12: exchange.startAgain()
            case 13: exchange.noteConnection(ConnectionMetrics())
            case 14: scheduler.advance(by: .seconds(7))
            case 15: exchange.stop(because: CancellationError())
            case 16: exchange.finish()
            default: exchange.fail(with: HTTPError(code: .connectionLost))
            }
        }

        private func receive(_ status: Int, _ headers: HTTPHeaders = [:]) {
            _ = exchange.receive(HTTPResponse(status: status, headers: headers))
        }

        var pauses: [Duration] {
            [.queue, .upload, .download].map { record.time(of: $0) }
        }
    }

    @Test(
        "In any order of events, a call settles, and leaves no timer and no pause",
        arguments: [false, true])
    func aCallSettlesInAnyOrderOfEvents(isStreamed: Bool) throws {
        for seed in 0..<500 {
            var random = SeededGenerator(seed: UInt64(seed))
            let order = try Order(isStreamed: isStreamed)
            var events: [Int] = []
            for _ in 0..<Int.random(in: 3...30, using: &random) {
                events.append(.random(in: 0..<18, using: &random))
                order.perform(events.last ?? 0)
            }
            order.perform(17)
            for event in 0..<18 { order.perform(event) }
            #expect(order.exchange.isOver && order.stops.withLock { $0 } <= 1, "\(events)")
            #expect(isStreamed ? order.streamed.isSettled : order.whole.isSettled, "\(events)")
            if let body = order.streamed.valueNow?.body { expectEnd(of: body, events) }
            let pauses = order.pauses
            order.scheduler.advance(by: .seconds(100))
            // This lengthens an upload that has not ended.
            order.record.noteProgress(of: .upload)
            #expect(order.scheduler.isIdle && order.pauses == pauses, "\(events)")
        }
    }

    private func expectEnd(of body: HTTPBodyStream, _ events: [Int]) {
        var chunks = 0
        while let chunk = body.next().valueNow, chunk != nil, chunks < 100 { chunks += 1 }
        #expect(body.next().isSettled, "\(events)")
    }
}

/// A manual clock that tells at which instants a timer was set.
private final class ListeningScheduler: FutureScheduler {
    let manual = ManualScheduler()
    let instants = Locked<[Duration]>([])

    var now: SchedulerInstant { manual.now }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        instants.withLock { $0.append((manual.now.advanced(by: delay)).offset) }
        return manual.schedule(after: delay, action)
    }
}

/// A deadline beside an exchange that hears of no byte.
struct DeadlineOfACallTests {
    private let scheduler = ListeningScheduler()

    private func transport(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let limits = TransportExchange.Limits(maxBodySize: 10, maxUnreadBytes: 10)
        let promise = InternalPromise<HTTPResponse>()
        let exchange = try? TransportExchange(
            request, for: .whole(promise), within: limits, on: scheduler)
        exchange?.watch { exchange?.fail(with: $0) }
        return promise
    }

    @Test("a call has one timer of its deadline, and the policy's error", arguments: [30, 90])
    func aCallHasOneTimerOfItsDeadline(limit: Int) throws {
        let service = stack(
            .deadline(.seconds(60), on: scheduler), .retry(on: scheduler),
            .timeout(.seconds(limit), on: scheduler), over: transport)
        let call = service(HTTPRequest(.post, URL(string: "http://a/")!))
        #expect(
            scheduler.instants.withLock { $0.sorted() }
                == (limit < 60 ? [.seconds(30), .seconds(60)] : [.seconds(60)]))
        scheduler.manual.advance(by: .seconds(60))
        let error = try #require(call.errorNow as? ServiceError)
        #expect(error.code == .deadlineExceeded && error.policy == "deadline")
        #expect(scheduler.manual.isIdle)
    }

    @Test("each part that is left ends the call at its deadline, with the same timer")
    func eachPartThatIsLeftEndsTheCallAtItsDeadline() throws {
        let context = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler))
        let limited = context.run {
            stack(.timeout(.seconds(9), on: scheduler), over: transport)(
                HTTPRequest(.get, .init(string: "http://a/")!))
        }
        let bare = context.run { transport(HTTPRequest(.get, URL(string: "http://a/")!)) }
        #expect(scheduler.instants.withLock { $0 } == [.seconds(5)])
        scheduler.manual.advance(by: .seconds(5))
        #expect((limited.errorNow as? ServiceError)?.code == .deadlineExceeded)
        #expect((bare.errorNow as? HTTPError)?.reason == "the deadline, after 5.0 seconds")
        #expect(scheduler.manual.isIdle)
    }

    @Test func anExchangeThatHasEndedNeedsNoTimer() {
        let context = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler))
        let calls = (0..<3).map { _ in
            context.run { transport(HTTPRequest(.get, URL(string: "http://a/")!)) }
        }
        for call in calls {
            #expect(!scheduler.manual.isIdle)
            call.cancel()
        }
        #expect(scheduler.manual.isIdle)
    }
}
