import Foundation
import Futures
import Stores
import Testing

/// What a user's closure captured, and what is done when it is freed.
final class AtEnd: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }

    func touch() {}
}

/// What users' closures captured may use the store as it is freed: no lock is held then.
@Suite struct FreeingTests {
    /// Whether a function returns; if it waits for itself, it is left to wait.
    func returns(_ body: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        Thread {
            body()
            done.signal()
        }.start()
        return done.wait(timeout: .now() + .seconds(10)) == .success
    }

    @Test func anObserverThatIsUnsubscribedWhileTheQueueIsWorkedOff() {
        let store = Store<Int, Int>(
            initialState: 0,
            effects: { state, event in
                state += event
                return .none
            })
        let isDone = returns {
            let id = Locked<UUID?>(nil)
            store.subscribe { [unowned store] _, new in
                guard new == 1 else { return }
                store.unsubscribe(id.withLock { $0! })
                store.dispatch(event: 1)
            }
            do {
                let end = AtEnd { [weak store] in store?.dispatch(event: 100) }
                id.withLock { $0 = store.subscribe { _, _ in end.touch() } }
            }
            store.dispatch(event: 1)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 102) }
    }

    @Test func aMiddlewareOfAStoreThatGoes() {
        let last = Seen<Int>()
        let middleware = DispatchMiddleware<Int, Int> { context in
            let end = AtEnd {
                context.dispatch(event: 1)
                last.add(context.state)
            }
            return { next in
                { event in
                    end.touch()
                    next(event)
                }
            }
        }
        let isDone = returns {
            let store = Store(initialState: 0, reduce: { $0 + $1 }, middleware: [middleware])
            store.dispatch(event: 7)
        }
        #expect(isDone)
        #expect(last.all == [7])
    }
}
