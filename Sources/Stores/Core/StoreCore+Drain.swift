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

    /// Notifies the observers of all entries in the queue, until no more have arrived.
    ///
    /// Batches are swapped out. An observer that subscribes after that is newer than the whole batch.
    @usableFromInline
    func drain() {
        var batch: [Entry] = []
        var subscribers = Subscribers<State>()
        repeat {
            // Assigned outside the lock: it may free an observer that has unsubscribed, and objects that the
            // observer captured may use the store when they are freed.
            subscribers = values.withLock { values in
                turn.goOn()
                if batch.capacity == 0 { swap(&batch, &values.spare) }
                swap(&batch, &values.pending)
                return values.subscribers
            }
            for entry in batch { tell(entry, subscribers) }
            batch.removeAll(keepingCapacity: true)
            // The large buffer after a burst is released.
            if batch.capacity > 1024 { batch = [] }
        } while !endTurn(&batch)
    }

    /// Returns the buffer for reuse and ends the turn, if the queue is empty.
    private func endTurn(_ batch: inout [Entry]) -> Bool {
        values.withLock { values in
            guard turn.end() else { return false }
            swap(&batch, &values.spare)
            return true
        }
    }

    private func tell(_ entry: Entry, _ subscribers: Subscribers<State>) {
        switch entry {
        case .transition(let step):
            subscribers.notify(step.old, step.new, step.version)
            perform(step.commands)
        case .replay(let replay): replay()
        case .commands(let commands): perform(commands)
        }
    }
}
