import ServicesTestSupport
import Testing

@testable import PledgeServices

@Suite struct RepeatabilityTests {
    class Request: @unchecked Sendable {}
    final class Order: Request, Replayable, @unchecked Sendable {
        var isReplayable: Bool { false }
    }

    private func decide<Input>(
        _ input: Input, _ verdict: CallRecord.Verdict = .nothing, _ error: (any Error)? = nil
    ) -> Repeatability { Repeatability(of: input, after: verdict, error) }

    @Test func whetherAnInputThatIsNotReplayableMayBeRepeatedIsUnproven() {
        #expect(decide(7) == .unproven)
        #expect(decide("text") == .unproven)
        #expect(decide(()) == .unproven)
    }

    @Test func aReplayableInputIsAskedWhetherItMayBeRepeated() {
        #expect(decide(Ask(1)) == .proven)
        #expect(decide(Ask(1, isReplayable: false)) == .refused)
    }

    @Test func aReplayableInputIsAskedWhateverItsStaticType() {
        let ask = Ask(1, isReplayable: false)
        #expect(decide(ask as any Sendable) == .refused)
        #expect(decide(ask as Ask?) == .refused)
        #expect(decide(nil as Ask?) == .unproven)
        #expect(decide(Order() as Request) == .refused)
        #expect(decide(Request()) == .unproven)
    }

    struct Tape: NamedRequest {
        var isReplayable = false
        var isConsumed: Bool
    }

    struct OfRequest: Error, AdvisingError {
        var failedRequest: (any Replayable & Sendable)?
        var outcome: Outcome { .retryable }
    }

    @Test func anInputThatWasCertainlyNotSentMayBeRepeatedUnlessItIsConsumed() {
        let unsent = Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)
        let maybeSent = Advised(advisedOutcome: .retryable)
        #expect(decide(Tape(isConsumed: false), .nothing, unsent) == .proven)
        #expect(decide(Tape(isConsumed: true), .nothing, unsent) == .refused)
        #expect(decide(Tape(isReplayable: true, isConsumed: true), .nothing, maybeSent) == .refused)
        #expect(decide(Tape(isConsumed: false), .nothing, maybeSent) == .refused)
        #expect(decide(Tape(isConsumed: false), .nothing, nil) == .refused)
        #expect(decide(Tape(isReplayable: true, isConsumed: false), .nothing, maybeSent) == .proven)
        #expect(decide(7, .nothing, maybeSent) == .unproven)
    }

    @Test func theRequestOfAnErrorIsAskedWhetherItMayBeRepeatedBeforeTheInput() {
        let harmless = OfRequest(failedRequest: Ask(1))
        let order = OfRequest(failedRequest: Ask(1, isReplayable: false))
        #expect(decide(7, .nothing, harmless) == .proven)
        #expect(decide(7, .nothing, order) == .refused)
        #expect(decide(Ask(1), .nothing, order) == .refused)
        #expect(decide(7, .nothing, OfRequest(failedRequest: nil)) == .unproven)
    }

    @Test func onlyAnInputsOwnNameIsLogged() {
        struct Query: NamedRequest {
            let isReplayable = true
            let loggedName = "page 2"
        }
        #expect(loggedName(of: Query()) == "page 2")
        #expect(loggedName(of: Query() as (any Sendable)?) == "page 2")
        #expect(loggedName(of: Ask(1)) == nil)
        #expect(loggedName(of: "a secret") == nil)
    }

    @Test func theVerdictOnWhatWasSentComesBeforeWhatTheInputSaysOfRepeating() {
        #expect(decide(Ask(1), .harmful) == .refused)
        #expect(decide(Ask(1, isReplayable: false), .repeatable) == .proven)
        #expect(decide(7, .repeatable) == .proven)
        #expect(decide(Tape(isReplayable: true, isConsumed: true), .repeatable) == .refused)
    }
}
