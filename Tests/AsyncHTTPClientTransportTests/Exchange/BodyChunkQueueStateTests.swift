#if AsyncHTTPClient
import Foundation
import NIOCore
import Testing

@testable import AsyncHTTPClientTransport

struct BodyChunkQueueStateTests {
    private var state = BodyChunkQueueState<String, Int>(capacity: 10)
    private var gates = 0

    private mutating func give(_ text: String) -> BodyChunkQueueState<String, Int>.WriteResult {
        let next = gates + 1
        let given = state.give(Data(text.utf8)) { next }
        if case .full = given { gates = next }
        return given
    }

    @Test mutating func givesWhatIsAskedForWhenItComes() {
        #expect(!state.isOpen)
        let isWanted = state.open()
        #expect(isWanted)
        #expect(state.isOpen)
        for question in ["a", "b"] {
            guard case .wait = state.ask(question) else { return unexpected() }
            guard case .handed(question) = give("much more than there is room for") else {
                return unexpected()
            }
        }
    }

    @Test mutating func keepsWhatComesFirstInOrder() {
        _ = state.open()
        for text in ["1", "2", "3"] { guard case .kept = give(text) else { return unexpected() } }
        for text in ["1", "2", "3"] {
            guard case .chunk(Data(text.utf8), nil) = state.ask("a") else { return unexpected() }
        }
        guard case .wait = state.ask("a") else { return unexpected() }
    }

    @Test mutating func shutsTheGateWhereItIsFullUntilItIsHalfEmpty() {
        _ = state.open()
        guard case .kept = give("1234") else { return unexpected() }
        guard case .kept = give("5678") else { return unexpected() }
        guard case .full(1) = give("90") else { return unexpected() }
        guard case .chunk(_, nil) = state.ask("a") else { return unexpected() }
        guard case .chunk(_, 1) = state.ask("a") else { return unexpected() }
        guard case .chunk(_, nil) = state.ask("a") else { return unexpected() }
        guard case .wait = state.ask("a") else { return unexpected() }
    }

    @Test(arguments: [true, false])
    mutating func endsAfterWhatCame(well: Bool) {
        _ = state.open()
        _ = give("1234567890")
        let left = state.end(well ? .success(()) : .failure(CancellationError()))
        #expect(left.gate == 1)
        #expect(left.reader == nil)
        guard case .chunk(_, nil) = state.ask("a") else { return unexpected() }
        // The first end counts.
        let nobody = state.end(.success(()))
        #expect(nobody.reader == nil)
        switch state.ask("b") {
        case .over(.success): #expect(well)
        case .over(.failure): #expect(!well)
        default: unexpected()
        }
    }

    @Test mutating func tellsWhoWaitsOfTheEnd() {
        _ = state.open()
        _ = state.ask("a")
        let left = state.end(.failure(CancellationError()))
        #expect(left.reader == "a")
        #expect(left.gate == nil)
        guard case .over(.failure) = state.ask("b") else { return unexpected() }
    }

    @Test mutating func takesNothingAfterTheEnd() {
        _ = state.end(.failure(CancellationError()))
        let isWanted = state.open()
        #expect(!isWanted)
        guard case .refused = give("1") else { return unexpected() }
    }

    @Test mutating func forgetsWhatNobodyWillAskFor() {
        _ = state.open()
        _ = give("1")
        _ = state.end(.failure(CancellationError()))
        let dropped = state.drop()
        #expect(dropped.count == 1)
        guard case .over(.failure) = state.ask("b") else { return unexpected() }
    }

    private func unexpected() { Issue.record("the state gives another answer") }
}
#endif
