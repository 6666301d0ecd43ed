internal import Futures

extension StoreCore {
    /// Puts the layers of middleware together, the first being the outermost.
    @usableFromInline
    func setUp(_ middleware: [DispatchMiddleware<State, Event>]) {
        guard hasMiddleware else { return }
        let context = DispatchContext(core: self)
        let layers = middleware.map { $0.setUp(context) }
        let commit: @Sendable (Event) -> Void = { [weak self] event in
            self?.commit(event)
        }
        let chain = layers.reversed().reduce(commit) { next, layer in layer(next) }
        values.withLock { $0.chain = .catchingUp(chain, by: threadIdentity()) }
    }

    /// Sends what other threads dispatched meanwhile through the middleware, until nothing is left.
    @usableFromInline
    func catchUp() {
        guard hasMiddleware else { return }
        while let (chain, events) = values.withLock({ $0.takeEarlyEvents() }) {
            for event in events { chain(event) }
        }
    }

    /// Sends an event through the middleware, or leaves it to the thread that sets the store up.
    @usableFromInline
    func dispatchThroughChain(_ event: Event) {
        trapIfReducing("dispatch")
        values.withLock { $0.entrance(of: event) }?(event)
    }
}

extension StoreCore.Values {
    /// What an event is to be given to now; nil where it waits, or where the store has gone.
    fileprivate mutating func entrance(of event: Event) -> (@Sendable (Event) -> Void)? {
        switch chain {
        case .ready(let chain): return chain
        case .gone: return nil
        case .settingUp(let thread) where thread == threadIdentity():
            fatalError(
                """
                Store: \(Event.self) was dispatched while its middleware was being set up. Dispatch \
                from the function that takes the event, not from those that return it.
                """)
        case .catchingUp(let chain, let thread) where thread == threadIdentity(): return chain
        case .settingUp, .catchingUp:
            early.append(event)
            return nil
        }
    }

    /// The chain and what has waited for it; nil, and the chain is ready, if nothing has.
    fileprivate mutating func takeEarlyEvents() -> (@Sendable (Event) -> Void, [Event])? {
        guard case .catchingUp(let chain, _) = chain else { return nil }
        if early.isEmpty {
            self.chain = .ready(chain)
            return nil
        }
        defer { early = [] }
        return (chain, early)
    }
}
