import Synchronization

/// What the attempts of a hedged call have in common: one of them at most sends requests that may not be
/// processed twice.
final class Rivalry: Sendable {
    private let sender = Atomic<ObjectIdentifier?>(nil)

    /// Claims to be the attempt that sends such requests.
    ///
    /// - Returns: False where another one is.
    fileprivate func claim(for record: CallRecord) -> Bool {
        let (isFirst, current) = sender.compareExchange(
            expected: nil, desired: ObjectIdentifier(record), ordering: .relaxed)
        return isFirst || current == ObjectIdentifier(record)
    }
}

extension CallRecord {
    /// Lets other attempts be made beside this one.
    ///
    /// - Parameter rivalry: What they have in common. It keeps no record alive: whoever makes the attempts
    ///   does, so that no two have the same identity.
    /// - Returns: What this attempt has done so far.
    func enter(_ rivalry: Rivalry) -> Verdict {
        _ = self.rivalry.storeIfNil(rivalry)
        change { state in
            state.addRivals()
            return true
        }
        return verdict
    }

    /// Whether this attempt is the one that may send what may not be processed twice.
    func claim() -> Bool { rivalry.load()?.claim(for: self) ?? true }
}
