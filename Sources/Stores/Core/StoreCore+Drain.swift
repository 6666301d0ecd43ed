internal import Futures

extension StoreCore {
    /// Puts an entry in the queue, and drains it, unless another thread does.
    ///
    /// - Parameter make: Makes the entry, if there is one, under the lock.
    func enter(_ make: (inout Values) -> Entry?) {
        let isMine = values.withLock { values in
            guard let entry = make(&values) else { return false }
            values.pending.append(entry)
            return turn.take()
        }
        if isMine { drain() }
    }

    /// Tells the observers of all that is in the queue, until nothing has come meanwhile.
    ///
    /// Batches are swapped out. Those who subscribe after that are newer than all of the batch.
    @usableFromInline
    func drain() {
        var batch: [Entry] = []
        var audience = Audience<State>()
        repeat {
            // Assigned outside the lock: it may free an observer that has unsubscribed, and what that
            // captured may use the store as it goes.
            audience = values.withLock { values in
                turn.goOn()
                if batch.capacity == 0 { swap(&batch, &values.spare) }
                swap(&batch, &values.pending)
                return values.audience
            }
            for entry in batch { tell(entry, audience) }
            batch.removeAll(keepingCapacity: true)
            // A burst's buffer is not kept.
            if batch.capacity > 1024 { batch = [] }
        } while !endTurn(&batch)
    }

    /// Hands the buffer back and ends the turn, if there is no more.
    private func endTurn(_ batch: inout [Entry]) -> Bool {
        values.withLock { values in
            guard turn.end() else { return false }
            swap(&batch, &values.spare)
            return true
        }
    }

    private func tell(_ entry: Entry, _ audience: Audience<State>) {
        switch entry {
        case .transition(let step):
            audience.notify(step.old, step.new, step.version)
            perform(step.commands)
        case .replay(let replay): replay()
        case .commands(let commands): perform(commands)
        }
    }
}
