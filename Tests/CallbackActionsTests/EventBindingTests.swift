import CallbackActions
import Futures
import TestSupport
import Testing

@Suite struct EventBindingTests {
    let button = EventSource<ButtonEvents>()
    let recorder = TestLog<Int>()

    @Test func unbindsItsOwnHandlerAlone() {
        button.bind(events: .touchDown) { [recorder] in recorder.append(1) }
        let second = button.bind(events: .touchDown) { [recorder] in recorder.append(2) }
        button.bind(events: .touchDown) { [recorder] in recorder.append(3) }
        second.unbind()
        second.unbind()
        button.send(.touchDown)
        #expect(recorder.elements == [1, 3])
    }

    @Test func releasingTheTokenUnbindsNothing() {
        do {
            _ = button.bind(events: .touchDown) { [recorder] in recorder.append(1) }
        }
        button.send(.touchDown)
        #expect(recorder.elements == [1])
    }

    @Test func unbindingLetsGoOfWhatTheHandlerCaptured() {
        weak var captured: TestLog<Int>?
        let binding: EventBinding
        do {
            let owned = TestLog<Int>()
            captured = owned
            binding = button.bind(events: .touchDown) { owned.append(1) }
        }
        #expect(captured != nil)
        binding.unbind()
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
            binding = temporary.bind(events: .touchDown) { owned.append(1) }
            temporary.send(.touchDown)
            #expect(captured?.elements == [1])
        }
        #expect(source == nil)
        #expect(captured == nil)
        binding.unbind()
    }

    @Test func unbindingTakesTheHandlerOutOfTheSource() {
        let source = EventSource<Set<Occasion>>()
        weak var heldEvent: Occasion?
        do {
            let event = Occasion()
            heldEvent = event
            let binding = source.bind(events: [event]) { [recorder] in recorder.append(1) }
            source.send([event])
            binding.unbind()
        }
        #expect(recorder.elements == [1])
        #expect(heldEvent == nil)
    }

    @Test func aHandlerMayUnbindItself() {
        let own = Locked<EventBinding?>(nil)
        let binding = button.bind(events: .touchDown) { [recorder] in
            recorder.append(1)
            own.withLock { $0 }?.unbind()
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
            later.withLock { $0 }?.unbind()
        }
        let second = button.bind(events: .touchDown) { [recorder] in recorder.append(2) }
        later.withLock { $0 = second }
        button.bind(events: .touchDown) { [recorder] in recorder.append(3) }
        button.send(.touchDown)
        #expect(recorder.elements == [1, 3])
    }

    @Test func whatAHandlerCapturedMayUnbindAndSendAsItGoes() {
        // Releasing the captures of a handler runs a user's deinit, which may call back.
        let other = button.bind(events: .touchCancel) { [recorder] in recorder.append(9) }
        let binding: EventBinding
        do {
            let last = OnDeinit { [button, recorder] in
                button.send(.touchUpInside)
                other.unbind()
                recorder.append(2)
            }
            binding = button.bind(events: .touchDown) { withExtendedLifetime(last) {} }
        }
        button.bind(events: .touchUpInside) { [recorder] in recorder.append(1) }
        binding.unbind()
        button.send(.touchCancel)
        #expect(recorder.elements == [1, 2])
    }
}

/// An event whose lifetime the test can check.
private final class Occasion: Hashable, Sendable {
    static func == (left: Occasion, right: Occasion) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
