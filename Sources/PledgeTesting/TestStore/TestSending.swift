internal import Pledge

/// Marks the event that a test sends, so that it can be told from those of effects.
///
/// The mark is there while the test's dispatch runs, and the first event that is reduced takes it: that
/// is the one sent, since its effects begin after it.
struct TestSending: Sendable {
    @TaskLocal static var current: TestSending?

    private let owner: ObjectIdentifier
    private let isTaken = Locked(false)

    init(by owner: AnyObject) { self.owner = ObjectIdentifier(owner) }

    /// Says that the test's dispatch has returned.
    ///
    /// A task that was begun in it still has the mark: what it dispatches now was not sent by the test.
    func end() { isTaken.withLock { $0 = true } }

    /// Whether the event that is being reduced is the one that was sent.
    static func take(for owner: AnyObject) -> Bool {
        guard let current, current.owner == ObjectIdentifier(owner) else { return false }
        return current.isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
