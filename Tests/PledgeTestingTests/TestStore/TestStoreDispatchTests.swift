import Dispatch
import Foundation
import Pledge
import PledgeStores
import PledgeTesting
import TestSupport
import Testing

/// Events that the test sends are distinguished from their consequences, whatever the middleware does.
@Suite(.oneAtATime)
struct TestStoreDispatchTests {
    private enum Event: Equatable, Sendable {
        case tap, noted, other, late
    }

    let log = TestLog<StoreFailure>()

    private func makeStore(
        _ middleware: StoreMiddleware<[Event], Event>...,
        feedback: [Feedback<[Event], Event>] = []
    ) -> TestStore<[Event], Event> {
        TestStore(
            initialState: [], reducer: Reducer { $0 + [$1] }, middleware: middleware,
            feedback: feedback,
            onFailure: log.add)
    }

    /// Dispatches another event before the one that it gets.
    private var noting: StoreMiddleware<[Event], Event> {
        StoreMiddleware { context in
            { next in
                { event in
                    if event == .tap { context.dispatch(.noted) }
                    next(event)
                }
            }
        }
    }

    @Test func anEventThatAMiddlewareDispatchesBeforeNextIsNotTheOneSent() {
        let store = makeStore(noting)
        store.send(.tap) { $0 = [.noted, .tap] }
        store.receive(.noted) { $0 = [.noted] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func anEventThatAnInnerMiddlewareDispatchesBeforeNextIsNotTheOneSent() {
        let passing = StoreMiddleware<[Event], Event> { _ in { next in { next($0) } } }
        let store = makeStore(passing, noting, passing)
        store.send(.other) { $0 = [.other] }
        store.send(.tap) { $0 = [.other, .noted, .tap] }
        store.receive(.noted) { $0 = [.other, .noted] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func dispatchingAfterNext() {
        let middleware = StoreMiddleware<[Event], Event> { context in
            { next in
                { event in
                    next(event)
                    if event == .tap { context.dispatch(.noted) }
                }
            }
        }
        let store = makeStore(middleware)
        store.send(.tap) { $0 = [.tap] }
        store.receive(.noted) { $0 = [.tap, .noted] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func passingOthersOnBesides() {
        let middleware = StoreMiddleware<[Event], Event> { _ in
            { next in
                { event in
                    next(.noted)
                    next(event)
                    next(.other)
                }
            }
        }
        let store = makeStore(middleware)
        store.send(.tap) { $0 = [.noted, .tap] }
        store.receive(.noted) { $0 = [.noted] }
        store.receive(.other) { $0 = [.noted, .tap, .other] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func passingAnotherOnInItsPlace() {
        let middleware = StoreMiddleware<[Event], Event> { context in
            { next in
                { event in
                    if event == .tap { context.dispatch(.noted) }
                    next(event == .tap ? .other : event)
                }
            }
        }
        let store = makeStore(middleware)
        store.send(.tap) { $0 = [.noted, .other] }
        store.receive(.noted) { $0 = [.noted] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func keepingItBack() {
        let middleware = StoreMiddleware<[Event], Event> { context in
            { next in
                { event in
                    if event == .tap { context.dispatch(.noted) } else { next(event) }
                }
            }
        }
        let store = makeStore(middleware)
        store.send(.tap)
        store.receive(.noted) { $0 = [.noted] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func eventsThatCannotBeComparedAreToldByTheirOrder() {
        enum Plain: Sendable { case tap, noted }
        let store = TestStore(
            initialState: 0,
            reducer: Reducer { (state: Int, event: Plain) in
                switch event {
                case .tap: state * 10
                case .noted: state + 1
                }
            },
            middleware: [
                StoreMiddleware { context in
                    { next in
                        { event in
                            if case .tap = event { context.dispatch(.noted) }
                            next(event)
                        }
                    }
                }
            ], onFailure: log.add)
        store.send(.tap) { $0 = 10 }
        store.receive(where: { if case .noted = $0 { true } else { false } }) { $0 = 1 }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func anEffectsEventThatEqualsItIsReceived() {
        let once = Feedback<[Event], Event> {
            $0 == [.tap] ? 1 : nil
        } effect: { _ in
            .future(Future(value: .tap))
        }
        let store = makeStore(feedback: [once])
        store.send(.tap) { $0 = [.tap] }
        store.receive(.tap) { $0 = [.tap, .tap] }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func aMiddlewareMayPassItOnLater() async {
        let gate = Promise<Void>()
        let later = StoreMiddleware<[Event], Event> { _ in
            { next in
                { event in
                    Task {
                        try? await gate.value
                        next(event)
                    }
                }
            }
        }
        let store = makeStore(later)
        store.send(.late)
        gate.resolve(with: ())
        await store.receive(.late) { $0 = [.late] }
        store.finish()
        #expect(log.messages == [])
    }

    /// An event on another thread at the same time never counts as sent by the test.
    @Test func anotherThreadsEventIsReceived() {
        let store = makeStore(
            StoreMiddleware { context in
                { next in
                    { event in
                        if event == .tap {
                            let done = DispatchSemaphore(value: 0)
                            Thread.detachNewThread {
                                next(.other)
                                done.signal()
                            }
                            done.wait()
                        }
                        next(event)
                    }
                }
            })
        store.send(.tap) { $0 = [.other, .tap] }
        store.receive(.other) { $0 = [.other] }
        store.finish()
        #expect(log.messages == [])
    }
}
