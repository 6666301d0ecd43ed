import Synchronization

/// Which attempt of a hedged call sends requests that may not be processed twice: one at most.
final class SoleSender: Sendable {
    private let sender = Atomic<ObjectIdentifier?>(nil)

    /// Claims to be that attempt.
    ///
    /// - Returns: False if another attempt is.
    fileprivate func claim(for record: CallRecord) -> Bool {
        let (isFirst, current) = sender.compareExchange(
            expected: nil, desired: ObjectIdentifier(record), ordering: .relaxed)
        return isFirst || current == ObjectIdentifier(record)
    }
}

extension CallRecord {
    /// Allows other attempts beside this one.
    ///
    /// - Parameter sender: What they have in common. It keeps no record alive: the maker of the
    ///   attempts does, so that no two have the same identity.
    /// - Returns: What this attempt has done so far.
    func allowRivals(_ sender: SoleSender) -> Verdict {
        _ = soleSender.storeIfNil(sender)
        change { state in
            state.addRivals()
            return true
        }
        return verdict
    }

    /// Whether this attempt is the one that may send what may not be processed twice.
    func claim() -> Bool { soleSender.load()?.claim(for: self) ?? true }
}
