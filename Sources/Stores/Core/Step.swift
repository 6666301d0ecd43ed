/// A change that is told by the thread that made it, without a place in the queue.
@usableFromInline
struct Step<State: Sendable> {
    @usableFromInline let old: State
    @usableFromInline let new: State
    @usableFromInline let version: UInt64
    @usableFromInline let audience: Audience<State>

    @inlinable
    init(_ old: State, _ new: State, _ version: UInt64, _ audience: Audience<State>) {
        self.old = old
        self.new = new
        self.version = version
        self.audience = audience
    }
}
