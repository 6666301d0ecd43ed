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
        values.withLock { $0.chain = .ready(chain) }
    }
}
