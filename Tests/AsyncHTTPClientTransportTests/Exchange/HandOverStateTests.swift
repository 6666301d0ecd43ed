#if AsyncHTTPClient
import Testing

@testable import AsyncHTTPClientTransport

struct HandOverStateTests {
    private var state = HandOverState<String, Int>()

    @Test mutating func opensTheGateWhenItIsAsked() {
        #expect(!state.isOpen)
        let isWanted = state.open(before: 1)
        #expect(isWanted)
        #expect(state.isOpen)
        for (gate, question) in [(1, "a"), (2, "b")] {
            guard case .open(gate) = state.ask(question) else { return unexpected() }
            let reader = state.give(before: gate + 1)
            #expect(reader == question)
        }
    }

    @Test mutating func tellsWhoAsksAfterTheEnd() {
        _ = state.open(before: 1)
        let left = state.end(.success(()))
        #expect(left.gate == 1)
        #expect(left.reader == nil)
        guard case .over(.success) = state.ask("a") else { return unexpected() }
        // The first end counts.
        let nobody = state.end(.failure(CancellationError()))
        #expect(nobody.reader == nil)
        guard case .over(.success) = state.ask("b") else { return unexpected() }
    }

    @Test mutating func tellsWhoWaitsOfTheEnd() {
        _ = state.open(before: 1)
        _ = state.ask("a")
        let left = state.end(.failure(CancellationError()))
        #expect(left.reader == "a")
        #expect(left.gate == nil)
        guard case .over(.failure) = state.ask("b") else { return unexpected() }
    }

    @Test mutating func takesNothingAfterTheEnd() {
        _ = state.end(.failure(CancellationError()))
        let isWanted = state.open(before: 1)
        #expect(!isWanted)
        let reader = state.give(before: 2)
        #expect(reader == nil)
    }

    private func unexpected() { Issue.record("the state gives another answer") }
}
#endif
