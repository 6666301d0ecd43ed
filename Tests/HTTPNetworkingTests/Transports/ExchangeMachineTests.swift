import Foundation
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

/// The recipient, the body, the watch and the mark are plain values here.
private typealias Machine = ExchangeMachine<String, String, Int, Int>

private struct Reason: Error, Equatable {
    var name = "reason"
}

/// Seconds after the beginning.
private func at(_ seconds: Int) -> SchedulerInstant {
    SchedulerInstant(offset: .seconds(seconds))
}

private enum Event: CaseIterable {
    case head, streamedHead, unusableHead, bytes, tooManyBytes, pass, ask, discard, end
    case wait, connect, send, record, watch, stop
}

extension Machine {
    fileprivate init(_ events: Event...) {
        self.init(for: "caller", maxBodySize: 10)
        for event in events { perform(event) }
    }

    fileprivate mutating func perform(_ event: Event, at now: SchedulerInstant = at(1)) {
        switch event {
        case .head: _ = receive(at: now)
        case .streamedHead: _ = receive(into: "pipe", at: now)
        case .unusableHead: _ = receive(isValid: false, at: now)
        case .bytes: _ = collect("12345", at: now)
        case .tooManyBytes: _ = collect("12345678901", at: now)
        case .pass: _ = pass(5)
        case .ask: noteReader(asks: true, at: now)
        case .discard: _ = discardResponse(at: now)
        case .end: _ = endExchange()
        case .wait: _ = enterQueue(Wait(start: now, place: 7))
        case .connect: _ = leaveQueue()
        case .send: _ = try? send(at: now)
        case .record: _ = record(1, uploading: true)
        case .watch: _ = watch(1)
        case .stop: _ = stop(because: Reason())
        }
    }

    fileprivate mutating func receive(
        _ status: Int = 200, length: Int64? = nil, isValid: Bool = true, into body: String? = nil,
        at now: SchedulerInstant = at(1)
    ) -> HeadAction? {
        receive(
            HTTPResponse(status: status), length: length, isValid: isValid, into: body, at: now)
    }

    fileprivate mutating func collect(_ text: String, at now: SchedulerInstant = at(1)) -> Bool {
        Data(text.utf8).withUnsafeBytes { collect($0, at: now) }
    }

    /// The name of the response's phase.
    fileprivate var responsePhase: String {
        if isOver { return "over" }
        if case .refused = flaw { return "refused" }
        if body != nil { return hasAskingReader ? "asked" : "streamed" }
        return hasHead ? "collected" : "awaited"
    }

    /// The name of the request's phase.
    fileprivate var requestPhase: String {
        if wait != nil { return "waiting" }
        if mark != nil { return "recorded" }
        return owesBytes ? "sent" : "preparing"
    }

    /// The name of the transport's phase.
    fileprivate var controlPhase: String {
        var copy = self
        let (watch, _) = copy.stop(because: Reason())
        if watch != nil { return "watched" }
        copy = self
        let isStopped = (try? copy.send(at: at(1))) == nil
        return isStopped ? (self.watch == nil ? "to stop" : "stopped") : "unwatched"
    }

    private var owesBytes: Bool {
        var copy = self
        return copy.stop(because: Reason()).owing != nil
    }

    private var hasAskingReader: Bool {
        var copy = self
        _ = copy.noteSign(at: at(99))
        return copy.lastSign == at(99)
    }
}

/// The phases of an exchange, without threads, clocks and promises.
struct ExchangeMachineTests {
    // MARK: The tables

    private static var responses: [String: Machine] {
        [
            "awaited": Machine(.send), "collected": Machine(.send, .head),
            "streamed": Machine(.send, .streamedHead), "asked": Machine(.send, .streamedHead, .ask),
            "refused": Machine(.send, .unusableHead), "over": Machine(.send, .end),
        ]
    }

    /// Which phase follows an event; in the other phases, the event changes nothing.
    private static let responseRows: [Event: [String: String]] = [
        .head: ["awaited": "collected"],
        .streamedHead: ["awaited": "streamed"],
        .unusableHead: ["awaited": "refused"],
        .bytes: [:],
        .tooManyBytes: ["collected": "refused"],
        .pass: ["asked": "streamed"],
        .ask: ["streamed": "asked"],
        .discard: ["collected": "awaited", "refused": "awaited"],
        .end: [
            "awaited": "over", "collected": "over", "streamed": "over", "asked": "over",
            "refused": "over",
        ],
        .wait: [:], .connect: [:], .send: [:], .record: [:], .watch: [:], .stop: [:],
    ]

    private static var requests: [String: Machine] {
        [
            "preparing": Machine(), "waiting": Machine(.wait), "sent": Machine(.send),
            "recorded": Machine(.send, .record),
        ]
    }

    private static let requestRows: [Event: [String: String]] = [
        .wait: ["preparing": "waiting"],
        .connect: ["waiting": "preparing"],
        .send: ["preparing": "sent", "waiting": "sent"],
        .record: ["sent": "recorded"],
        .bytes: [:], .pass: [:], .ask: [:], .discard: [:], .watch: [:],
    ]

    private static var controls: [String: Machine] {
        [
            "unwatched": Machine(), "watched": Machine(.watch), "to stop": Machine(.stop),
            "stopped": Machine(.watch, .stop),
        ]
    }

    private static let controlRows: [Event: [String: String]] = [
        .watch: ["unwatched": "watched", "to stop": "stopped"],
        .stop: ["unwatched": "to stop", "watched": "stopped"],
        .wait: [:], .connect: [:], .send: [:], .record: [:], .head: [:], .streamedHead: [:],
        .bytes: [:], .tooManyBytes: [:], .pass: [:], .ask: [:], .discard: [:],
    ]

    private func check(
        _ event: Event, _ phases: [String: Machine], _ row: [String: String],
        _ phase: (Machine) -> String
    ) {
        for (name, machine) in phases {
            var machine = machine
            #expect(phase(machine) == name)
            machine.perform(event)
            #expect(phase(machine) == row[name] ?? name, "\(event) in \(name)")
        }
    }

    @Test(arguments: Event.allCases)
    fileprivate func eachEventHasItsEffectInEachPhaseOfTheResponse(event: Event) throws {
        check(event, Self.responses, try #require(Self.responseRows[event]), \.responsePhase)
    }

    @Test(arguments: requestRows.keys)
    fileprivate func eachEventHasItsEffectInEachPhaseOfTheRequest(event: Event) throws {
        check(event, Self.requests, try #require(Self.requestRows[event]), \.requestPhase)
    }

    @Test(arguments: controlRows.keys)
    fileprivate func eachEventHasItsEffectInEachPhaseOfTheTransport(event: Event) throws {
        check(event, Self.controls, try #require(Self.controlRows[event]), \.controlPhase)
    }

    // MARK: The request

    @Test func aWaitEndsOnceAndComesBackWithItsPlace() throws {
        var machine = Machine(.wait)
        let isSecond = machine.enterQueue(.init(start: at(2), place: 8))
        #expect(!isSecond)
        let ended = machine.leaveQueue()
        #expect(ended == .init(start: at(1), place: 7))
        let again = machine.leaveQueue()
        #expect(again == nil)
        machine.perform(.wait)
        let sent = try machine.send(at: at(3))
        #expect(sent.ended == .init(start: at(1), place: 7) && sent.isNew)
    }

    @Test func theEndOfAnExchangeEndsItsWait() {
        var machine = Machine(.wait)
        let last = machine.endExchange()
        #expect(last?.wait?.place == 7 && machine.wait == nil)
    }

    @Test("A request that is sent or answered doesn't wait", arguments: [true, false])
    func waitsOnlyBeforeItIsSent(isSent: Bool) {
        var machine = isSent ? Machine(.send) : Machine(.head)
        let isWaiting = machine.enterQueue(.init(start: at(2), place: 8))
        #expect(!isWaiting && machine.wait == nil)
    }

    @Test func aRequestIsRecordedOnceHoweverOftenItIsSent() throws {
        var machine = Machine()
        #expect(try machine.send(at: at(1)).isNew)
        _ = machine.record(1, uploading: false)
        #expect(try !machine.send(at: at(2)).isNew)
        let isUploading = machine.record(2, uploading: true)
        #expect(!isUploading && machine.mark == 1)
    }

    @Test func anUploadEndsWithTheHead() {
        for body in [nil, "pipe"] {
            var machine = Machine(.send)
            let begins = machine.record(1, uploading: true)
            #expect(begins && machine.pause == .upload)
            let goesOn = machine.noteSign(at: at(2))
            let head = machine.receive(into: body)
            #expect(goesOn && head?.endsUpload == true)
            #expect(machine.pause == (body == nil ? .download : nil))
            let isOver = !machine.noteSign(at: at(3))
            #expect(isOver)
        }
    }

    @Test("An upload ends with a refused head's exchange, or when the request starts again")
    func anUploadEndsOtherwise() {
        var refused = Machine(.send, .record, .unusableHead)
        #expect(refused.endExchange()?.pause == .upload)
        var again = Machine(.send, .record)
        #expect(again.discardResponse(at: at(2)).pause == .upload)
        #expect(again.pause == nil && again.mark == 1)
    }

    @Test func anUploadThatIsRecordedTooLateDoesNotBegin() {
        var ended = Machine(.send, .end)
        var answered = Machine(.send, .head)
        let begins = [ended.record(1, uploading: true), answered.record(1, uploading: true)]
        #expect(begins == [false, false])
        #expect(ended.mark == nil && answered.mark == 1)
    }

    // MARK: Stopping

    @Test(arguments: responses.keys.sorted())
    func anExchangeIsStoppedOnceInEachPhase(phase: String) throws {
        var machine = try #require(Self.responses[phase])
        machine.perform(.watch)
        let (watch, owing) = machine.stop(because: Reason())
        #expect(watch == (phase == "over" ? nil : 1))
        // A server owes no bytes for which nobody asks.
        let owes = ["awaited", "collected", "asked"].contains(phase)
        #expect(owing == (owes ? at(1) : nil))
        let again = machine.stop(because: Reason(name: "second"))
        #expect(again.watch == nil && again.owing == nil)
        let error = #expect(throws: (any Error).self) { try machine.send(at: at(2)) }
        #expect(error is CancellationError == (phase == "over"))
        #expect(error as? Reason == (phase == "over" ? nil : Reason()))
        // The watch is still to clear.
        #expect(machine.endExchange()?.watch == (phase == "over" ? nil : 1))
    }

    @Test func whatWasToStopBeforeItIsWatchedStopsThen() {
        var machine = Machine(.stop)
        guard case .stop(let reason) = machine.watch(1) else {
            Issue.record("the transport is not stopped")
            return
        }
        #expect(reason is Reason && machine.watch == 1)
        guard case .release = machine.watch(2) else {
            Issue.record("the transport is stopped twice")
            return
        }
    }

    @Test(arguments: [true, false])
    func onlyTheFirstWatchIsKept(isOver: Bool) {
        var machine = isOver ? Machine(.end) : Machine(.watch)
        guard case .release = machine.watch(2) else {
            Issue.record("the watch is kept")
            return
        }
        #expect(machine.watch == (isOver ? nil : 1))
    }

    @Test func theWatchNoticesWhoStillAwaitsTheResponse() {
        for (events, awaiting) in [(Machine(), "caller"), (Machine(.streamedHead), nil)] {
            var machine = events
            guard case .notice(let recipient) = machine.watch(1) else {
                Issue.record("the watch is not kept")
                continue
            }
            #expect(recipient == awaiting)
        }
    }

    // MARK: Idle time

    @Test func onlyAReaderWhoAsksIsIdle() {
        var machine = Machine(.streamedHead)
        _ = machine.noteSign(at: at(2))
        #expect(machine.lastSign == nil)
        machine.noteReader(asks: true, at: at(3))
        #expect(machine.lastSign == at(3))
        _ = machine.noteSign(at: at(4))
        #expect(machine.lastSign == at(4))
        _ = machine.pass(1)
        #expect(machine.lastSign == nil)
        machine.noteReader(asks: true, at: at(5))
        machine.noteReader(asks: false, at: at(6))
        #expect(machine.lastSign == nil)
    }

    @Test func anExchangeIsIdleFromItsLastByteOn() {
        var machine = Machine(for: "caller", maxBodySize: 10, at: at(0))
        #expect(machine.lastSign == at(0))
        machine.perform(.wait)
        #expect(machine.lastSign == nil)
        _ = machine.noteSign(at: at(2))
        machine.expectNothing()
        #expect(machine.lastSign == nil)
        machine.perform(.head, at: at(3))
        #expect(machine.lastSign == at(3))
        machine.perform(.bytes, at: at(4))
        #expect(machine.lastSign == at(4))
        machine.perform(.discard, at: at(5))
        #expect(machine.lastSign == at(5))
        machine.perform(.end)
        #expect(machine.lastSign == nil)
    }

    // MARK: The response

    @Test func aStreamedHeadGivesTheResponseAway() {
        var machine = Machine(.send, .record)
        let action = machine.receive(into: "pipe")
        #expect(action?.recipient == "caller" && action?.mark == 1 && action?.sent == at(1))
        #expect(machine.recipient == nil && machine.mark == nil && machine.body == "pipe")
        let second = machine.receive(404, into: "other")
        #expect(second == nil && machine.answer?.response.status == 200)
    }

    @Test func aCollectedHeadKeepsTheRecipient() {
        var machine = Machine(.send, .record)
        let action = machine.receive()
        #expect(action?.recipient == nil && action?.mark == nil && action?.refusal == nil)
        #expect(machine.recipient == "caller" && machine.mark == 1)
        let second = machine.receive(404)
        #expect(second == nil && machine.answer?.response.status == 200)
    }

    @Test(arguments: [(Int64(10), true), (11, false)])
    func anAnnouncedBodyIsBounded(length: Int64, fits: Bool) {
        var machine = Machine()
        #expect((machine.receive(length: length)?.refusal == nil) == fits)
        var stream = Machine()
        #expect(stream.receive(length: length, into: "pipe")?.refusal == nil)
    }

    @Test func bytesThatFitAreCollected() {
        var machine = Machine(.bytes, .head)
        let fits = [machine.collect("12345"), machine.collect("67890"), machine.collect("x")]
        #expect(fits == [true, true, false])
        #expect(machine.answer?.response.text == "1234567890" && machine.answer?.received == 10)
        // What comes after a refusal is ignored.
        machine.perform(.bytes)
        #expect(machine.flaw == .refused(.tooLarge))
        #expect(machine.endExchange()?.answer?.response.text == "1234567890")
    }

    @Test func anExchangeCountsTheBytesItPassesOn() {
        var machine = Machine()
        #expect(machine.pass(1) == nil)
        _ = machine.receive(length: 8, into: "pipe")
        #expect(machine.pass(5) == "pipe" && machine.answer?.received == 5)
        #expect(!machine.isComplete() && machine.isComplete(with: 3))
        #expect(machine.endExchange()?.flaw == .bodyEndedEarly)
        #expect(machine.pass(3) == nil && machine.answer == nil)
    }

    @Test func aChunkedBodyAnnouncesNoLength() {
        var machine = Machine()
        _ = machine.receive(
            HTTPResponse(status: 200, headers: ["Transfer-Encoding": "chunked"]), length: 5,
            isValid: true, into: nil, at: nil)
        #expect(machine.flaw == nil && !machine.isComplete(with: 5))
    }

    @Test func aDiscardedResponseLeavesNothing() {
        var machine = Machine(.send, .record)
        _ = machine.receive(401, length: 9)
        machine.perform(.bytes)
        let discarded = machine.discardResponse(at: at(2))
        #expect(discarded.answer?.response.text == "12345" && discarded.pause == .download)
        #expect(machine.answer == nil && machine.mark == 1 && machine.recipient == "caller")
        _ = machine.receive(200, length: 0)
        #expect(machine.flaw == nil && machine.answer?.response.body.isEmpty == true)
    }

    @Test func theConnectionIsAddedToAHead() {
        var connection = ConnectionMetrics()
        connection.protocolVersion = "HTTP/2"
        let machines = [Machine(.head), Machine(.streamedHead), Machine(.unusableHead)]
        for var machine in machines {
            machine.add(connection)
            #expect(machine.answer?.response.timing.connection == connection)
        }
        for var machine in [Machine(), Machine(.end)] {
            machine.add(connection)
            #expect(machine.answer == nil)
        }
    }

    // MARK: The end

    @Test func theEndGivesEverythingBackOnce() {
        var machine = Machine(.watch, .send, .record, .head, .bytes)
        let last = machine.endExchange()
        #expect(last?.recipient == "caller" && last?.watch == 1 && last?.mark == 1)
        #expect(last?.pause == .download && last?.answer?.received == 5 && last?.body == nil)
        let again = machine.endExchange()
        #expect(again == nil && machine.isOver)
        #expect(machine.recipient == nil && machine.watch == nil && machine.mark == nil)
    }

    @Test func theEndOfAStreamHasABodyAndNoRecipient() {
        var machine = Machine(.send, .record, .streamedHead)
        let last = machine.endExchange()
        #expect(last?.recipient == nil && last?.body == "pipe")
        #expect(last?.mark == nil && last?.pause == nil && last?.flaw == nil)
    }

    @Test func errorsSayWhyAResponseIsNotWhole() {
        #expect(Machine().flaw == .noHead)
        #expect(Machine(.head).flaw == nil)
        #expect(Machine(.unusableHead).flaw == .refused(.invalidLength))
        var early = Machine()
        _ = early.receive(length: 6)
        early.perform(.bytes)
        #expect(early.flaw == .bodyEndedEarly)
        _ = early.collect("6")
        #expect(early.flaw == nil)
    }
}

/// Events in random orders, whose actions are counted as ``TransportExchange`` does them.
private struct Ledger {
    var machine = Machine(for: "caller", maxBodySize: 40)
    let isStreamed: Bool
    var outcomes = 0
    var bodyEnds = 0
    var watches: Set<Int> = []
    var waits: Set<Int> = []
    var stops = 0
    var pauses: [CallRecord.Pause: Int] = [:]
    var openMarks: Set<Int> = []
    var collected = Data()
    /// True if the exchange was asked to stop.
    var isToStop = false
    var now = 0

    init(isStreamed: Bool) { self.isStreamed = isStreamed }

    mutating func perform(_ event: Event, _ random: inout SeededGenerator) {
        now += 1
        let wasOver = machine.isOver
        let before = (outcomes, bodyEnds, stops)
        switch event {
        case .head, .streamedHead, .unusableHead: receive(isValid: event != .unusableHead)
        case .bytes, .tooManyBytes: collect(Int.random(in: 0..<30, using: &random))
        case .pass: _ = machine.pass(3)
        case .ask: machine.noteReader(asks: .random(using: &random), at: at(now))
        case .discard: discard()
        case .end: end()
        case .wait: wait()
        case .connect: leave(machine.leaveQueue())
        case .send, .record: send(isUpload: .random(using: &random))
        case .watch: watch()
        case .stop: stop()
        }
        if wasOver { #expect(before == (outcomes, bodyEnds, stops), "\(event) after the end") }
    }

    private mutating func receive(isValid: Bool) {
        if !isStreamed { pauses[.download, default: 0] += 1 }
        let action = machine.receive(
            isValid: isValid, into: isStreamed ? "pipe" : nil, at: at(now))
        if !isStreamed, action == nil || action?.refusal != nil { pauses[.download]? -= 1 }
        if action?.endsUpload == true { pauses[.upload]? -= 1 }
        if let mark = action?.mark { close(mark) }
        if action?.recipient != nil { outcomes += 1 }
    }

    private mutating func collect(_ count: Int) {
        let isCollecting = !machine.isOver && machine.pause == .download
        let bytes = Data(repeating: UInt8(now % 256), count: count)
        let fits = bytes.withUnsafeBytes { machine.collect($0, at: at(now)) }
        if !fits { pauses[.download]? -= 1 }
        if fits, isCollecting { collected.append(bytes) }
    }

    private mutating func discard() {
        let discarded = machine.discardResponse(at: at(now))
        if let pause = discarded.pause { pauses[pause]? -= 1 }
        if discarded.answer != nil { collected = Data() }
    }

    private mutating func wait() {
        waits.insert(now)
        if !machine.enterQueue(.init(start: at(now), place: now)) { waits.remove(now) }
    }

    private mutating func leave(_ wait: Machine.Wait?) {
        guard let place = wait?.place else { return }
        #expect(waits.remove(place) != nil, "a wait ends once")
    }

    private mutating func send(isUpload: Bool) {
        guard let sent = try? machine.send(at: at(now)) else {
            #expect(isToStop || machine.isOver)
            return
        }
        #expect(!isToStop && !machine.isOver, "nothing is sent after the stop or the end")
        leave(sent.ended)
        guard sent.isNew else { return }
        openMarks.insert(now)
        if isUpload { pauses[.upload, default: 0] += 1 }
        let goesOn = machine.record(now, uploading: isUpload)
        if isUpload, !goesOn { pauses[.upload]? -= 1 }
    }

    private mutating func watch() {
        watches.insert(now)
        switch machine.watch(now) {
        case .notice: break
        case .stop: stops += 1
        case .release: watches.remove(now)
        }
    }

    private mutating func stop() {
        isToStop = isToStop || !machine.isOver
        if machine.stop(because: Reason()).watch != nil { stops += 1 }
    }

    private mutating func close(_ mark: Int) {
        #expect(openMarks.remove(mark) != nil, "an entry of the record ends once")
    }

    private mutating func end() {
        guard let last = machine.endExchange() else { return }
        if let watch = last.watch { watches.remove(watch) }
        leave(last.wait)
        if let pause = last.pause { pauses[pause]? -= 1 }
        if let mark = last.mark { close(mark) }
        if last.recipient != nil { outcomes += 1 }
        if last.body != nil { bodyEnds += 1 }
        #expect(isStreamed || last.answer?.response.body ?? Data() == collected)
    }

    /// Expects that nothing is left after the end.
    func expectNothingLeft(_ events: [Event]) {
        #expect(outcomes == 1, "\(events)")
        #expect(bodyEnds <= 1 && stops <= 1, "\(events)")
        #expect(watches.isEmpty && waits.isEmpty && openMarks.isEmpty, "\(events)")
        #expect(pauses.values.allSatisfy { $0 == 0 }, "\(events)")
    }
}

struct ExchangeMachineOrderTests {
    @Test(arguments: [false, true])
    func inAnyOrderAnExchangeDeliversOnceAndClearsWhatItBegan(isStreamed: Bool) {
        for seed in 0..<2_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var ledger = Ledger(isStreamed: isStreamed)
            var events: [Event] = []
            for _ in 0..<Int.random(in: 5...40, using: &random) {
                // An end in the middle is rare, so that other events come before and after it.
                let all = Event.allCases
                let event = all.randomElement(using: &random) ?? .end
                if event == .end, Int.random(in: 0..<3, using: &random) > 0 { continue }
                events.append(event)
                ledger.perform(event, &random)
            }
            ledger.perform(.end, &random)
            events.append(.end)
            for event in Event.allCases { ledger.perform(event, &random) }
            ledger.expectNothingLeft(events)
        }
    }
}
