import Testing

@testable import Services

@Suite struct ReplayableTests {
    class Request: @unchecked Sendable {}
    final class Order: Request, Replayable, @unchecked Sendable {
        var isReplayable: Bool { false }
    }

    @Test func whatDoesNotConformMayBeRepeated() {
        #expect(mayRepeat(7))
        #expect(mayRepeat("text"))
        #expect(mayRepeat(()))
    }

    @Test func whatConformsIsAsked() {
        #expect(mayRepeat(Ask(1)))
        #expect(!mayRepeat(Ask(1, isReplayable: false)))
    }

    @Test func theValueIsAskedWhateverItsStaticType() {
        let ask = Ask(1, isReplayable: false)
        #expect(!mayRepeat(ask as any Sendable))
        #expect(!mayRepeat(ask as Ask?))
        #expect(mayRepeat(nil as Ask?))
        #expect(!mayRepeat(Order() as Request))
        #expect(mayRepeat(Request()))
    }

    struct Tape: Replayable {
        var isReplayable = false
        var isUsedUp: Bool
    }

    @Test func whatCertainlyDidNotArriveMayBeRepeatedUnlessItIsUsedUp() {
        let unsent = Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)
        let maybeSent = Advised(advisedOutcome: .retryable)
        #expect(mayRepeat(Tape(isUsedUp: false), after: unsent))
        #expect(!mayRepeat(Tape(isUsedUp: true), after: unsent))
        #expect(!mayRepeat(Tape(isUsedUp: false), after: maybeSent))
        #expect(!mayRepeat(Tape(isUsedUp: false), after: nil))
        #expect(mayRepeat(Tape(isReplayable: true, isUsedUp: false), after: maybeSent))
        #expect(!Ask(1).isUsedUp)
        #expect(mayRepeat(7, after: maybeSent))
    }
}
