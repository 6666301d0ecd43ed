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

    /// Settles a locked future from below: gives up what it waits for, notifies the producers that have lost
    /// the last interest, and then delivers to the waiters of this.
    ///
    /// Every future that settles before its upstream or its inputs ends here: a future that is
    /// cancelled or late, and an aggregate that needs no more inputs. So when a waiter continues here, for
    /// example with another call, the call before it has been given up by its producer. Only a root has
    /// handlers of its own; they are called after its waiters.
    final func settleGivingUp(as newWord: UInt, calling handlers: Unmanaged<CancelHandlers>? = nil)
    {
        let list = list
        unlock(to: newWord)
        var cancellation = Cancellation()
        if let handlers { cancellation.call(handlers) }
        cancellation.detach(self)
        if !isRoot { cancellation.finish() }
        if list != 0 { distribute(list) }
        if isRoot { cancellation.finish() }
    }

    /// Registers handlers for cancellation.
    ///
    /// - Parameter forgetting: Whether they wait for the next waiter, although all had given up before.
    final func add(_ handlers: CancelHandlers, forgettingWhoGaveUp forgetting: Bool = false) {
        if lockIfPending() {
            if forgetting { wasGivenUp = false }
            let isGivenUp = wasGivenUp ? list == 0 : false
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
