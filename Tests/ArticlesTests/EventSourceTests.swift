import Dispatch
import PledgeArticles
import PledgeFutures
import TestSupport
import Testing

/// The events of a button, as a user of the library would declare them.
struct ButtonEvents: OptionSet {
    let rawValue: Int

    static let touchDown = ButtonEvents(rawValue: 1)
    static let touchUpInside = ButtonEvents(rawValue: 2)
    static let touchCancel = ButtonEvents(rawValue: 4)
}

@Suite(.oneAtATime) struct EventSourceTests {
    let button = EventSource<ButtonEvents>()
    let recorder = TestLog<Int>()

    @Test func severalHandlersOfOneEventAreCalledInOrder() {
        for number in 0..<5 {
            button.bind(events: .touchUpInside) { [recorder] in recorder.append(number) }
        }
        button.send(.touchUpInside)
        #expect(recorder.elements == [0, 1, 2, 3, 4])
        button.send(.touchUpInside)
        #expect(recorder.elements == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    }

    @Test func onlyTheEventsBoundAreHeard() {
        button.bind(events: .touchDown) { [recorder] in recorder.append(1) }
        button.bind(events: [.touchDown, .touchCancel]) { [recorder] in recorder.append(2) }
        button.bind(events: .touchUpInside) { [recorder] in recorder.append(3) }
        button.send(.touchCancel)
        #expect(recorder.elements == [2])
        button.send(.touchDown)
        #expect(recorder.elements == [2, 1, 2])
    }

    @Test func severalEventsAtOnceCallAHandlerOnce() {
        button.bind(events: [.touchDown, .touchCancel]) { [recorder] in recorder.append(1) }
        button.bind(events: .touchUpInside) { [recorder] in recorder.append(2) }
        button.send([.touchDown, .touchCancel, .touchUpInside])
        #expect(recorder.elements == [1, 2])
    }

    @Test func noEventsCallNobody() {
        button.bind(events: []) { [recorder] in recorder.append(1) }
        button.bind(events: .touchDown) { [recorder] in recorder.append(2) }
        button.send([])
        #expect(recorder.elements == [])
        button.send([.touchDown, .touchUpInside, .touchCancel])
        #expect(recorder.elements == [2])
    }

    @Test func sendingToNobodyIsHarmless() {
        button.send(.touchDown)
        button.bind(events: .touchDown) { [recorder] in recorder.append(1) }
        #expect(recorder.elements == [])
    }

    @Test func aHandlerMayBindAndIsHeardFromTheNextSend() {
        button.bind(events: .touchDown) { [button, recorder] in
            recorder.append(1)
            button.bind(events: .touchDown) { recorder.append(2) }
        }
        button.send(.touchDown)
        #expect(recorder.elements == [1])
        button.send(.touchDown)
        #expect(recorder.elements == [1, 1, 2])
    }

    @Test func aHandlerMaySendAndItsSendComesFirst() {
        button.bind(events: .touchDown) { [button, recorder] in
            recorder.append(1)
            button.send(.touchCancel)
        }
        button.bind(events: [.touchDown, .touchCancel]) { [recorder] in recorder.append(2) }
        button.send(.touchDown)
        #expect(recorder.elements == [1, 2, 2])
    }

    @Test func aHandlerMayLetGoOfTheLastReference() {
        let kept = Locked<EventSource<ButtonEvents>?>(EventSource())
        let source = { kept.withLock { $0 } }
        source()?.bind(events: .touchDown) { [recorder] in
            kept.withLock { $0 = nil }
            recorder.append(1)
        }
        source()?.bind(events: .touchDown) { [recorder] in recorder.append(2) }
        source()?.send(.touchDown)
        #expect(recorder.elements == [1, 2])
        #expect(source() == nil)
    }

    @Test func aSetOfCasesServesAsWell() {
        enum Key: Sendable { case up, down }
        let keyboard = EventSource<Set<Key>>()
        keyboard.bind(events: [.up]) { [recorder] in recorder.append(1) }
        keyboard.send([.down])
        keyboard.send([.up, .down])
        #expect(recorder.elements == [1])
    }

    @Test func aSourceKeepsItsHandlersAndNoLonger() {
        weak var captured: TestLog<Int>?
        do {
            let source = EventSource<ButtonEvents>()
            do {
                let owned = TestLog<Int>()
                captured = owned
                source.bind(events: .touchDown) { owned.append(1) }
            }
            source.send(.touchDown)
            #expect(captured?.elements == [1])
        }
        #expect(captured == nil)
    }

    @Test func theArticlesBindingOfARequest() {
        let fetch: Action<(), String> = { _, ok in ok("Tangent") }
        let greet: Action<String, String> = { name, ok in ok("hello \(name)") }
        let texts = TestLog<String>()
        let loginRequest = fetch >- greet <- { texts.append($0) }
        button.bind(events: .touchUpInside, for: loginRequest)
        button.bind(events: .touchUpInside, for: loginRequest)
        button.send(.touchUpInside)
        #expect(texts.elements == ["hello Tangent", "hello Tangent"])
    }

    @Test func eightThreadsBindSendAndUnbind() {
        let rounds = 500
        let sent = TestLog<Int>()
        let permanent = Locked(0)
        button.bind(events: .touchUpInside) { permanent.withLock { $0 += 1 } }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<rounds {
                let binding = button.bind(events: .touchDown) { sent.append(thread) }
                button.send(.touchUpInside)
                if round.isMultiple(of: 50) { button.send(.touchDown) }
                binding.cancel()
            }
        }
        #expect(permanent.withLock { $0 } == 8 * rounds)
        // Each thread's own sends reached at least its own handler.
        for thread in 0..<8 {
            #expect(sent.elements.count { $0 == thread } >= rounds / 50)
        }
        let count = sent.elements.count
        button.send(.touchDown)
        #expect(sent.elements.count == count)
    }

    @Test func eightThreadsBindAtOnceAndNoneIsLost() {
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                button.bind(events: .touchDown) { [recorder] in
                    recorder.append(thread * 200 + round)
                }
            }
        }
        button.send(.touchDown)
        #expect(recorder.elements.sorted() == Array(0..<1_600))
        for thread in 0..<8 {
            let own = recorder.elements.filter { $0 / 200 == thread }
            #expect(own == own.sorted())
        }
    }
}

@Suite struct EventBindingTests {
    let button = EventSource<ButtonEvents>()
    let recorder = TestLog<Int>()

    @Test func unbindsItsOwnHandlerAlone() {
        button.bind(events: .touchDown) { [recorder] in recorder.append(1) }
        let second = button.bind(events: .touchDown) { [recorder] in recorder.append(2) }
        button.bind(events: .touchDown) { [recorder] in recorder.append(3) }
        second.cancel()
        second.cancel()
        button.send(.touchDown)
        #expect(recorder.elements == [1, 3])
    }

    @Test func itEndsWithItsOwner() {
        var binding: ScopedObserver? = button.bind(events: .touchDown) { [recorder] in
            recorder.append(1)
        }.scoped()
        button.send(.touchDown)
        withExtendedLifetime(binding) {}
        binding = nil
        button.send(.touchDown)
        #expect(recorder.elements == [1])
    }

    @Test func withoutAScopeItLivesAsLongAsTheSource() {
        weak var captured: TestLog<Int>?
        do {
            let button = EventSource<ButtonEvents>()
            let owned = TestLog<Int>()
            captured = owned
            button.bind(events: .touchDown) { owned.append(1) }
            button.send(.touchDown)
            #expect(owned.elements == [1])
        }
        #expect(captured == nil)
    }

    @Test func unbindingLetsGoOfWhatTheHandlerCaptured() {
        weak var captured: TestLog<Int>?
        let binding: ObserverToken
        do {
            let owned = TestLog<Int>()
            captured = owned
            binding = button.bind(events: .touchDown) { owned.append(1) }
        }
        #expect(captured != nil)
        binding.cancel()
        #expect(captured == nil)
    }

    @Test func theTokenKeepsNeitherTheSourceNorTheHandler() {
        weak var source: EventSource<ButtonEvents>?
        weak var captured: TestLog<Int>?
        let binding: ObserverToken
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
        binding.cancel()
    }

    @Test func unbindingTakesTheHandlerOutOfTheSource() {
        let source = EventSource<Set<Occasion>>()
        weak var heldEvent: Occasion?
        do {
            let event = Occasion()
            heldEvent = event
            let binding = source.bind(events: [event]) { [recorder] in recorder.append(1) }
            source.send([event])
            binding.cancel()
        }
        #expect(recorder.elements == [1])
        #expect(heldEvent == nil)
    }

    @Test func aHandlerMayUnbindItself() {
        let own = Locked<ObserverToken?>(nil)
        let binding = button.bind(events: .touchDown) { [recorder] in
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
        let later = Locked<ObserverToken?>(nil)
        button.bind(events: .touchDown) { [recorder] in
            recorder.append(1)
            later.withLock { $0 }?.cancel()
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
        let binding: ObserverToken
        do {
            let last = OnDeinit { [button, recorder] in
                button.send(.touchUpInside)
                other.cancel()
                recorder.append(2)
            }
            binding = button.bind(events: .touchDown) { withExtendedLifetime(last) {} }
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
