import Dispatch
import PledgeFutures
import Synchronization
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct CallRecordTests {
    @Test func aCallRecordsVerdictFollowsFromWhatWasSent() throws {
        let record = CallRecord()
        #expect(record.verdict == .nothing)
        let harmless = try record.willSend(replayable: true)
        #expect(record.verdict == .repeatable)
        let order = try record.willSend(replayable: false)
        #expect(record.verdict == .harmful)
        record.endRequest(order, .unsent)
        record.endRequest(harmless, .mayHaveArrived)
        #expect(record.verdict == .repeatable)
    }

    @Test(arguments: [CallRecord.Fate.unsent, .refused])
    func aCallRecordLetsARequestThatWasNotProcessedBeRepeated(fate: CallRecord.Fate) throws {
        let record = CallRecord()
        let order = try record.willSend(replayable: false)
        record.endRequest(order, fate)
        #expect(record.close() == .repeatable)
    }

    @Test func aCallRecordTakesAQueuedRequestForUnsent() throws {
        let outer = CallRecord()
        let record = CallRecord(within: outer)
        try record.willQueue()
        #expect(record.verdict == .repeatable && outer.verdict == .repeatable)
        _ = try record.willSend(replayable: false)
        #expect(record.verdict == .harmful && outer.verdict == .harmful)
        outer.close()
        #expect(throws: ServiceError.self) { try record.willQueue() }
    }

    @Test func aPartOfACallThatQueuesIsNoLongerPresumedSent() throws {
        let record = CallRecord()
        let mark = try record.willSend(replayable: false)
        try record.part(presuming: mark).willQueue()
        #expect(record.verdict == .repeatable)
    }

    @Test func aCallRecordCountsTheTimeInWhichAnyOfItsRequestsIsQueued() {
        let scheduler = ManualScheduler()
        let outer = CallRecord()
        let record = CallRecord(within: outer)
        #expect(record.time(of: .queue) == .zero)
        record.beginPause(.queue, on: scheduler)
        scheduler.advance(by: .seconds(1))
        record.beginPause(.queue, on: scheduler)
        scheduler.advance(by: .seconds(1))
        record.endPause(.queue)
        scheduler.advance(by: .seconds(1))
        #expect(record.time(of: .queue) == .seconds(3))
        record.endPause(.queue)
        scheduler.advance(by: .seconds(1))
        #expect(record.time(of: .queue) == .seconds(3) && outer.time(of: .queue) == .seconds(3))
        let joined = CallRecord()
        joined.adopt(record)
        #expect(joined.time(of: .queue) == .seconds(3))
    }

    @Test func onlyTheFirstEndOfARequestCountsInACallRecord() throws {
        let record = CallRecord()
        let first = try record.willSend(replayable: false)
        let second = try record.willSend(replayable: false)
        record.endRequest(first, .unsent)
        record.endRequest(first, .unsent)
        #expect(record.verdict == .harmful)
        record.endRequest(second, .mayHaveArrived)
        record.endRequest(second, .unsent)
        #expect(record.verdict == .harmful)
    }

    @Test func aClosedCallRecordRefusesToSend() throws {
        let record = CallRecord()
        let inner = CallRecord(within: record)
        let order = try record.willSend(replayable: false)
        #expect(record.close() == .harmful)
        #expect(throws: ServiceError.self) { try record.willSend(replayable: true) }
        #expect(throws: ServiceError.self) { try inner.willSend(replayable: true) }
        #expect(inner.verdict == .nothing)
        record.endRequest(order, .unsent)
        #expect(record.verdict == .repeatable)
    }

    @Test func anOuterAttemptCountsWhatAnInnerOneSends() throws {
        let outer = CallRecord()
        let first = CallRecord(within: outer)
        let order = try first.willSend(replayable: false)
        first.close()
        #expect(outer.verdict == .harmful)
        // An end that comes after the inner attempt counts for the outer one.
        first.endRequest(order, .unsent)
        #expect(outer.verdict == .repeatable)
        #expect(throws: Never.self) { try CallRecord(within: outer).willSend(replayable: false) }
        #expect(outer.close() == .harmful)
    }

    @Test func aSendThatAClosedCallRecordRefusesIsNotMarkedInTheOuterOne() throws {
        let outer = CallRecord()
        let inner = CallRecord(within: outer)
        inner.close()
        #expect(throws: ServiceError.self) { try inner.willSend(replayable: false) }
        #expect(outer.verdict != .harmful)
    }

    @Test(
        "a refused mark changes no verdict, though something else may have been sent",
        arguments: ["replayable", "unreplayable", "queued", "rival"])
    func aRefusedMarkChangesNoVerdict(kind: String) throws {
        let outer = CallRecord()
        let presumed = try outer.willSend(replayable: false)
        let part = outer.part(presuming: presumed)
        let plain = CallRecord()
        for middle in [part, CallRecord(within: plain)] {
            let inner = CallRecord(within: middle)
            if kind == "rival" {
                let sender = SoleSender()
                let first = CallRecord()
                _ = first.allowRivals(sender)
                _ = try first.willSend(replayable: false)
                _ = inner.allowRivals(sender)
            } else {
                inner.close()
            }
            #expect(throws: ServiceError.self) {
                switch kind {
                case "queued": try inner.willQueue()
                default: _ = try inner.willSend(replayable: kind == "replayable")
                }
            }
            #expect(inner.verdict == .nothing && middle.verdict == .nothing)
        }
        #expect(outer.verdict == .harmful, "what is presumed of the part may have been sent")
        #expect(plain.verdict == .nothing, "what sends without a mark may have sent something")
        outer.endRequest(presumed, .unsent)
        #expect(outer.verdict == .repeatable)
    }

    @Test func aCallRecordThatJoinsASharedCallCountsWhatThatSends() throws {
        let flight = CallRecord()
        let outer = CallRecord()
        let joiner = CallRecord(within: outer)
        joiner.adopt(flight)
        #expect(joiner.verdict == .nothing)
        let order = try flight.willSend(replayable: false)
        #expect(outer.verdict == .harmful)
        flight.endRequest(order, .refused)
        #expect(joiner.close() == .repeatable)
        // The joined call continues.
        #expect(throws: Never.self) { try flight.willSend(replayable: false) }
    }

    @Test func aPartOfACallThatTellsWhatItSendsIsNoLongerPresumedSent() throws {
        let silent = CallRecord()
        let presumed = try silent.willSend(replayable: false)
        _ = silent.part(presuming: presumed)
        #expect(silent.verdict == .harmful)

        let record = CallRecord()
        let mark = try record.willSend(replayable: false)
        let part = record.part(presuming: mark)
        _ = try part.willSend(replayable: true)
        #expect(record.verdict == .repeatable)
        _ = try part.willSend(replayable: false)
        record.endRequest(mark, .unsent)
        #expect(record.verdict == .harmful)
    }

    /// Threads write marks while another thread closes the record: the refused and the counted marks add up.
    @Test func threadsAgreeOnWhatACallRecordHasSent() {
        for _ in 0..<200 {
            let record = CallRecord()
            let verdict = Locked(CallRecord.Verdict.nothing)
            let sent = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if thread == 0 {
                    let closed = record.close()
                    verdict.withLock { $0 = closed }
                    return
                }
                for _ in 0..<20 {
                    guard let mark = try? record.willSend(replayable: false) else { return }
                    if thread == 1 {
                        record.endRequest(mark, .unsent)
                    } else {
                        sent.withLock { $0 += 1 }
                    }
                }
            }
            // All marks of thread 1 have ended; the others stay.
            #expect((record.verdict == .harmful) == (sent.withLock { $0 } > 0))
            #expect(throws: ServiceError.self) { try record.willSend(replayable: true) }
            if verdict.withLock({ $0 }) == .nothing { #expect(sent.withLock { $0 } == 0) }
        }
    }
}
