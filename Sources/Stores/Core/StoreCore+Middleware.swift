internal import PledgeFutures

extension StoreCore {
    /// Builds the chain of middleware; the first layer is the outermost.
    @usableFromInline
    func setUp(_ middleware: [StoreMiddleware<State, Event>]) {
        guard hasMiddleware else { return }
        let context = DispatchContext(core: self)
        let layers = middleware.map { $0.setUp(context) }
        let commit: @Sendable (Event) -> Void = { [weak self] event in
            self?.commit(event)
        }
        let chain = layers.reversed().reduce(commit) { next, layer in layer(next) }
        values.withLock { $0.chain = .catchingUp(chain, by: threadIdentity()) }
    }

    /// Sends the events that other threads dispatched meanwhile through the middleware, until none is left.
    @usableFromInline
    func catchUp() {
        guard hasMiddleware else { return }
        while let (chain, early) = values.withLock({ $0.takeEarlyEvents() }) {
            for early in early { send(early.event, through: chain, then: early.next) }
        }
    }

    /// Sends an event through the middleware, or queues it for the thread that sets the store up.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - next: The commands that follow the event, if it is an effect's event.
    @usableFromInline
    func dispatchThroughChain(_ event: Event, then next: [EffectCommand<Event>]? = nil) {
        trapIfReducing("dispatch")
        guard let chain = values.withLock({ $0.entrance(of: event, next) }) else { return }
        send(event, through: chain, then: next)
    }

    private func send(
        _ event: Event, through chain: (Event) -> Void, then next: [EffectCommand<Event>]?
    ) {
        chain(event)
        if let next { goOn(with: next) }
    }
}

extension StoreCore.Values {
    /// The function that takes an event now; nil if the event waits, or if the store has been released.
    fileprivate mutating func entrance(
        of event: Event, _ next: [EffectCommand<Event>]?
    ) -> (@Sendable (Event) -> Void)? {
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
            early.append(.init(event: event, next: next))
            return nil
        }
    }

    /// The chain and the events that have waited for it.
    ///
    /// If there are none: nil, and the chain is then ready.
    fileprivate mutating func takeEarlyEvents() -> (
        @Sendable (Event) -> Void, [StoreCore.EarlyEvent]
    )? {
        guard case .catchingUp(let chain, _) = chain else { return nil }
        if early.isEmpty {
            self.chain = .ready(chain)
            return nil
        }
        defer { early = [] }
        return (chain, early)
    }
}
