import PledgeCallbackActions
import PledgeFutures
import TestSupport
import Testing

@Suite struct EventBindingTests {
    let button = EventSource<ButtonEvents>()
    let recorder = TestLog<Int>()

    @Test func unbindsItsOwnHandlerAlone() {
        button.bind(events: .touchDown) { [recorder] in recorder.append(1) }
        let second = button.binding(events: .touchDown) { [recorder] in recorder.append(2) }
        button.bind(events: .touchDown) { [recorder] in recorder.append(3) }
        second.cancel()
        second.cancel()
        button.send(.touchDown)
        #expect(recorder.elements == [1, 3])
    }

    @Test func itEndsWithItsOwner() {
        var binding: EventBinding? = button.binding(events: .touchDown) { [recorder] in
            recorder.append(1)
        }
        button.send(.touchDown)
        withExtendedLifetime(binding) {}
        binding = nil
        button.send(.touchDown)
        #expect(recorder.elements == [1])
    }

    @Test func keptItLivesAsLongAsTheSource() {
        weak var captured: TestLog<Int>?
        do {
            let button = EventSource<ButtonEvents>()
            let owned = TestLog<Int>()
            captured = owned
            button.binding(events: .touchDown) { owned.append(1) }.kept()
            button.send(.touchDown)
            #expect(owned.elements == [1])
        }
        #expect(captured == nil)
    }

    @Test func keptItCanStillBeCancelled() {
        let binding = button.binding(events: .touchDown) { [recorder] in recorder.append(1) }
        binding.kept()
        binding.cancel()
        button.send(.touchDown)
        #expect(recorder.elements == [])
    }

    @Test func unbindingLetsGoOfWhatTheHandlerCaptured() {
        weak var captured: TestLog<Int>?
        let binding: EventBinding
        do {
            let owned = TestLog<Int>()
            captured = owned
            binding = button.binding(events: .touchDown) { owned.append(1) }
        }
        #expect(captured != nil)
        binding.cancel()
        #expect(captured == nil)
    }

    @Test func theTokenKeepsNeitherTheSourceNorTheHandler() {
        weak var source: EventSource<ButtonEvents>?
        weak var captured: TestLog<Int>?
        let binding: EventBinding
        do {
            let owned = TestLog<Int>()
            captured = owned
            let temporary = EventSource<ButtonEvents>()
            source = temporary
            binding = temporary.binding(events: .touchDown) { owned.append(1) }
            temporary.send(.touchDown)
            #expect(captured?.elements == [1])
        }
        #expect(source == nil)
        #expect(captured == nil)
        binding.cancel()
    }

    @Test func unbindingTakesTheHandlerOutOfTheSource() {
        let source = EventSource<Set<Occasion>>()
        weak var heldEvent: Occasion?
        do {
            let event = Occasion()
            heldEvent = event
            let binding = source.binding(events: [event]) { [recorder] in recorder.append(1) }
            source.send([event])
            binding.cancel()
        }
        #expect(recorder.elements == [1])
        #expect(heldEvent == nil)
    }

    @Test func aHandlerMayUnbindItself() {
        let own = Locked<EventBinding?>(nil)
        let binding = button.binding(events: .touchDown) { [recorder] in
            recorder.append(1)
            own.withLock { $0 }?.cancel()
            recorder.append(2)
        }
        own.withLock { $0 = binding }
        button.send(.touchDown)
        button.send(.touchDown)
        #expect(recorder.elements == [1, 2])
    }

    @Test func aHandlerUnboundByAnEarlierOneIsNotCalled() {
        let later = Locked<EventBinding?>(nil)
        button.bind(events: .touchDown) { [recorder] in
            recorder.append(1)
            later.withLock { $0 }?.cancel()
        }
        let second = button.binding(events: .touchDown) { [recorder] in recorder.append(2) }
        later.withLock { $0 = second }
        button.bind(events: .touchDown) { [recorder] in recorder.append(3) }
        button.send(.touchDown)
        #expect(recorder.elements == [1, 3])
    }

    @Test func whatAHandlerCapturedMayUnbindAndSendAsItGoes() {
        // Releasing the captures of a handler runs a user's deinit, which may call back.
        let other = button.binding(events: .touchCancel) { [recorder] in recorder.append(9) }
        let binding: EventBinding
        do {
            let last = OnDeinit { [button, recorder] in
                button.send(.touchUpInside)
                other.cancel()
                recorder.append(2)
            }
            binding = button.binding(events: .touchDown) { withExtendedLifetime(last) {} }
        }
        button.bind(events: .touchUpInside) { [recorder] in recorder.append(1) }
        binding.cancel()
        button.send(.touchCancel)
        #expect(recorder.elements == [1, 2])
    }
}

/// An event whose lifetime the test can check.
private final class Occasion: Hashable, Sendable {
    static func == (left: Occasion, right: Occasion) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
