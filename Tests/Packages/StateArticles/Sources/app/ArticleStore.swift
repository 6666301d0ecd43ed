import Foundation
import PledgeArticles

/// The article's own store, to compare with.
// snippet: article-store
enum AsWritten {
    class Store {

        // 观察者,用于响应状态更新,第一个 State? 为旧状态,第二个 State 为当前状态
        // (an observer: the old state, then the present one)
        typealias Observer = (State?, State) -> Void

        private(set) var state: State  // 当前状态 (the present state)
        private var _observers: [UUID: Observer]  // 所有的观察者 (all observers)

        // 初始化 (initialisation)
        init(initailState: State) {
            self.state = initailState
            self._observers = [:]
        }

        // 发出事件 (sends an event)
        func dispatch(event: State.Event) {
            let oldState = self.state
            self.state = State.reduce(self.state, event: event)
            _publish(oldState: oldState, newState: self.state)
        }

        // 订阅状态更新 (subscribes to the states)
        func subscribe(observer: @escaping Observer) -> UUID {
            //  UUID 是唯一标识符,该 id 可用于取消订阅
            // (an ID by which to unsubscribe)
            let subscriptionID = UUID()
            _observers[subscriptionID] = observer
            // 订阅时,将当前状态回放给该观察者
            // (replays the present state to the new observer)
            observer(nil, self.state)
            return subscriptionID
        }

        // 取消订阅 (unsubscribes)
        func unsubscribe(_ subscriptionID: UUID) {
            _observers.removeValue(forKey: subscriptionID)
        }

        // 私有方法,通知所有的观察者,状态已经更新了 (tells all observers of the new state)
        private func _publish(oldState: State?, newState: State) {
            _observers.values.forEach { observer in
                observer(oldState, newState)
            }
        }
    }
}
// end snippet

/// What an observer sees that dispatches: the article's store tells of the last change first.
@MainActor
func checkOrder() {
    let initailState = State(
        username: "", password: "", loading: false, data: nil, error: nil)

    let written = AsWritten.Store(initailState: initailState)
    var seen: [String] = []
    _ = written.subscribe { _, new in
        if new.username == "a" { written.dispatch(event: .onUpateUsername("b")) }
        seen.append(new.username)
    }
    written.dispatch(event: .onUpateUsername("a"))
    check("the article's store is out of order", seen, is: ["", "b", "a"])

    let store = Store(initailState: initailState)
    nonisolated(unsafe) var inOrder: [String] = []
    store.subscribe { [weak store] _, new in
        if new.username == "a" { store?.dispatch(event: .onUpateUsername("b")) }
        inOrder.append(new.username)
    }
    store.dispatch(event: .onUpateUsername("a"))
    check("this one is in order", inOrder, is: ["", "a", "b"])
}
