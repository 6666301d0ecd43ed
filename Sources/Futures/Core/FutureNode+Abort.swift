import Synchronization

extension FutureNode {
    /// Settles this future from outside with an error, gives up its interest upstream, and tells
    /// the producers that have lost the last interest.
    /// - Returns: False if it was settled already.
    @discardableResult
    final func abort(with failure: Failure) -> Bool {
        guard claim() else { return false }
        let handlers = attach(failure)
        let list = publish(Word.leaving)
        protocolStep()
        var departure = Departure()
        if let handlers { departure.call(handlers) }
        departure.detach(self)
        protocolStep()
        // Whoever goes on here, say with another call, finds the one before given up by its producer.
        // The handlers of a root are its own: those who waited for it before hear first.
        if !isRoot { departure.conclude() }
        if list != 0 { distribute(list) }
        if isRoot { departure.conclude() }
        return true
    }

    /// Registers a handler for cancellation.
    final func addCancelHandler(_ handler: @escaping @Sendable () -> Void) {
        let handlers = CancelHandlers(handler)
        if lockIfPending() {
            // Relaxed: the word is locked, and written by this thread alone.
            let isGivenUp = wasGivenUp && Self.waiter(at: word.load(ordering: .relaxed)) == nil
            if let first = cancelHandlers {
                first.append(handlers)
            } else {
                attachment = .handlers(handlers)
            }
            unlock()
            if isGivenUp {
                // All that waited had gone before anybody listened.
                var departure = Departure()
                departure.giveUpInterest(in: self)
                departure.conclude()
            }
            return
        }
        waitUntilSettled()
        if failure === Failure.cancelled { handler() }
    }

    /// Gives up one interest in this future, in the name of a waiter that was never enrolled.
    final func giveUpInterest() {
        var departure = Departure()
        departure.giveUpInterest(in: self)
        departure.conclude()
    }
}
