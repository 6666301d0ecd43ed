import PledgeFutures
import PledgeServices
import ServicesTestSupport
import Testing

/// Policies decide by what an attempt has sent, whatever is between them and the code that sends.
@Suite struct SendingTests {
    let scheduler = ManualScheduler()
    let wire: Wire

    init() { wire = Wire(on: scheduler) }

    /// An input without information for policies, which a function turns into a request, as in an app.
    private func service(
        replayable: Bool, _ policies: Middleware<Int, Int>...
    ) -> Service<Int, Int> {
        let wire = wire
        return Middleware(stacking: policies)({ number in
            Future(value: number).flatMap { wire.send(Ask($0, isReplayable: replayable)) }
        })
    }

    @Test("an order whose connection is lost is not repeated, though its input is a number")
    func anOrderWhoseConnectionIsLostIsNotRepeated() {
        wire.answers([.broken, .value(1)])
        let call = service(replayable: false, .retry(Retry(attempts: 3), on: scheduler))(7)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(wire.sent == [7])
    }

    @Test func anOrderIsNotHedgedThoughItsInputIsANumber() {
        wire.answers([.never])
        let call = service(
            replayable: false, .hedge(sharing: Hedge(after: .seconds(1), on: scheduler)))(7)
        scheduler.run()
        #expect(call.result == nil)
        #expect(wire.sent == [7])
    }

    @Test func aCallThatMayBeSentTwiceIsRepeated() {
        wire.answers([.broken, .value(1)])
        let call = service(replayable: true, .retry(Retry(attempts: 3), on: scheduler))(7)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(wire.sent == [7, 7])
    }

    /// The first call was not sent, which says nothing about the second call, whose fate is unknown.
    @Test func aCallThatWasNotSentIsNoReasonForAThirdOne() {
        let sent = Locked<[SchedulerInstant]>([])
        let scheduler = scheduler
        let call = stack(
            .hedge(sharing: Hedge(after: .seconds(1), attempts: 3, maxExtraLoad: 1, on: scheduler)),
            over: { (_: Ask) -> Future<Int> in
                let isFirst = sent.withLock { sent in
                    sent.append(scheduler.now)
                    return sent.count == 1
                }
                if !isFirst { return Future(value: 2).delay(.seconds(5), on: scheduler) }
                return Future(error: Advised(advisedOutcome: .retryable, isCertainlyUnsent: true))
            })(Ask(7, isReplayable: false))
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(sent.withLock { $0.count } == 2)
    }

    @Test func aHarmlessCallIsHedged() {
        wire.answers([.never, .value(2)])
        let call = service(
            replayable: true, .hedge(sharing: Hedge(after: .seconds(1), on: scheduler)))(7)
        scheduler.run()
        #expect(call.valueNow == 2)
    }

    @Test func anOrderThatWasNotSentIsRepeated() {
        wire.answers([
            .error(Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)), .value(1),
        ])
        let call = service(replayable: false, .retry(Retry(attempts: 3), on: scheduler))(7)
        scheduler.run()
        #expect(call.valueNow == 1)
    }

    /// The first request is harmless and lost; the retry repeats the whole function, and the order is sent
    /// once.
    @Test func aFunctionIsRepeatedAsLongAsItsOrderWasNotSent() {
        wire.answers([.broken, .value(1), .broken])
        let wire = wire
        let call = stack(
            .retry(Retry(attempts: 5), on: scheduler),
            over: { (number: Int) in
                wire.send(Ask(1)).flatMap { _ in wire.send(Ask(number, isReplayable: false)) }
            })(2)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(wire.sent == [1, 1, 2])
    }

    @Test func anOuterRetryKnowsWhatAnInnerOneSent() {
        wire.answers([.broken, .value(1)])
        let call = service(
            replayable: false, .retry(on: scheduler), .timeout(.seconds(9), on: scheduler),
            .retry(on: scheduler))(7)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(wire.sent == [7])
    }

    @Test func anAttemptThatTimedOutCannotSendLater() {
        wire.answers([.value(1), .value(2)])
        let (wire, scheduler) = (wire, scheduler)
        let call = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            .timeout(.seconds(1), on: scheduler),
            over: { (number: Int) -> Future<Int> in
                let isFirst = CallContext.current.attempt == 1
                // Cancellation does not reach a call behind a shield: it continues after the attempt is over.
                return Future(value: number).delay(.seconds(isFirst ? 3 : 0), on: scheduler)
                    .flatMap { wire.send(Ask($0, isReplayable: false)) }.shielded()
            })(7)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(wire.sent == [7])
    }

    /// A function that first reads and then orders: the hedge reads again, and one of the two sends the
    /// order.
    @Test func ofHedgedCallsOneSendsWhatMayNotBeSentTwice() {
        wire.answers([
            .value(1, after: .milliseconds(100)), .value(1, after: .milliseconds(10)),
            .value(5, after: .milliseconds(500)),
        ])
        let wire = wire
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)),
            over: { (number: Int) in
                wire.send(Ask(1)).flatMap { _ in wire.send(Ask(number, isReplayable: false)) }
            })(2)
        scheduler.run()
        #expect(call.valueNow == 5)
        #expect(wire.sent == [1, 1, 2])
    }

    @Test func whoJoinedASharedCallKnowsWhatItSent() {
        wire.answers([.error(Broken(), after: .seconds(1)), .value(1), .value(2)])
        let shared = Coalescer<Int, Int>()
        let service = service(
            replayable: false, .retry(on: scheduler), .coalesce(by: { $0 }, sharing: shared))
        let calls = [service(7), service(7)]
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow is Broken })
        #expect(wire.sent == [7])
    }

    @Test func aJoinerThatIsOverLeavesTheOthersTheirCall() {
        let (wire, scheduler) = (wire, scheduler)
        wire.answers([.value(3)])
        let shared = Coalescer<Int, Int>()
        let late: Service<Int, Int> = stack(
            .coalesce(by: { $0 }, sharing: shared),
            over: { number in
                Future(value: number).delay(.seconds(2), on: scheduler).flatMap {
                    wire.send(Ask($0, isReplayable: false))
                }
            })
        let hasty = stack(
            .retry(Retry(attempts: 1), on: scheduler), .timeout(.seconds(1), on: scheduler),
            over: late)
        let patient = stack(.retry(Retry(attempts: 1), on: scheduler), over: late)
        let calls = [hasty(7), patient(7)]
        scheduler.run()
        #expect(calls[0].serviceError?.code == .timedOut)
        #expect(calls[1].valueNow == 3)
    }

    @Test func anInputOfWhichNothingIsKnownIsRepeatedAndItsEventSaysSo() {
        let unproven = Locked<[Bool]>([])
        let observer = ServiceObserver { event in
            if case .retrying = event.kind { unproven.withLock { $0.append(event.isUnproven) } }
        }
        let count = Locked(0)
        func load(_ policy: Middleware<Int, Int>) -> Future<Int> {
            stack(
                .observed(by: observer, on: scheduler), policy,
                over: { (_: Int) in
                    count.withLock { $0 += 1 }
                    return Future<Int>(error: Broken())
                })(7)
        }
        _ = load(.retry(Retry(attempts: 2), on: scheduler))
        scheduler.run()
        #expect(unproven.withLock { $0 } == [true])
        #expect(count.withLock { $0 } == 2)
        _ = load(.retry(Retry(attempts: 2, unproven: .never), on: scheduler))
        scheduler.run()
        #expect(count.withLock { $0 } == 3)
    }

    @Test func anInputOfWhichNothingIsKnownIsNotHedged() {
        let count = Locked(0)
        _ = stack(
            .hedge(sharing: Hedge(after: .seconds(1), on: scheduler)),
            over: { (_: Int) in
                count.withLock { $0 += 1 }
                return Promise<Int>()
            })(7)
        scheduler.run()
        #expect(count.withLock { $0 } == 1)
    }

    /// The code that sends: it writes marks, and follows a script.
    final class Wire: Sendable {
        private let upstream: Upstream

        init(on scheduler: ManualScheduler) {
            upstream = Upstream(on: scheduler)
        }

        func answers(_ steps: [Upstream.Step]) { upstream.play(steps) }

        /// What was sent, in order.
        var sent: [Int] { upstream.arrivals.map(\.ask.number) }

        @Sendable func send(_ ask: Ask) -> Future<Int> {
            CallContext.current.sending(
                ask,
                fate: { result in
                    let isUnsent = (result.failureNow as? any AdvisingError)?.isCertainlyUnsent
                    return isUnsent == true ? .unsent : .mayHaveArrived
                }
            ) { upstream.send(ask) }
        }
    }
}

extension Result {
    fileprivate var failureNow: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
