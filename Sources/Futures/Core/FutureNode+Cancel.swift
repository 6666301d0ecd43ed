extension FutureNode {
    /// Settles this future from below with an error, and gives up its interest upstream.
    /// - Returns: False if it was settled already.
    @discardableResult
    final func abort(with failure: Failure) -> Bool {
        guard lockIfPending() else { return false }
        let handlers = attach(failure)
        settleGivingUp(as: isRoot ? StateWord.failure : StateWord.detaching, calling: handlers)
        return true
    }

    /// Registers handlers for cancellation.
    final func add(_ handlers: CancelHandlers) {
        if lockIfPending() {
            let isGivenUp = wasGivenUp && list == 0
            if let first = cancelHandlers {
                first.append(handlers)
            } else {
                attachment = .handlers(handlers)
            }
            unlock()
            // All waiters had given up before the handler was added.
            if isGivenUp { giveUpInterest() }
        } else if failure === Failure.cancelled {
            handlers.call()
        }
    }

    /// Gives up one interest in this future, for a node that is not in its list.
    final func giveUpInterest() {
        var cancellation = Cancellation()
        cancellation.giveUpInterest(in: self)
        cancellation.finish()
    }
}
