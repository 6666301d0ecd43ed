/// The values of a waiter's one atomic word.
///
/// While the low bits say pending, the rest of the word is a pointer to the newest of the waiters
/// enrolled on this future (none: zero). Each case names its successors.
@usableFromInline
enum Word {
    /// Pending, and nobody is at work on it.
    ///
    /// Next: `locked`, `claimed`, `closed`, `value`, `failure`, `leaving`, or pending with
    /// one waiter more.
    @inlinable static var pending: UInt { 0 }

    /// A bit beside a pending list: a thread edits the list or the links, and everybody else waits
    /// for the few instructions that takes.
    ///
    /// Next: `pending`, `leaving`.
    @inlinable static var locked: UInt { 1 }

    /// A bit beside a pending list: one producer has won and is writing the result.
    ///
    /// Waiters still enroll; nobody locks or claims any more. Next: `value`, `failure`, `leaving`.
    @inlinable static var claimed: UInt { 2 }

    /// Both bits beside a pending list: one producer has won, and writes the result this instant.
    ///
    /// Everybody waits for the few instructions that takes, those who would enroll as well. Next:
    /// `value`, `failure`.
    @inlinable static var closed: UInt { 3 }

    /// The bit that all settled words share.
    @inlinable static var settled: UInt { 4 }

    /// Settled with a value.
    ///
    /// Final.
    @inlinable static var value: UInt { 4 }

    /// Settled with an error, or, for a waiter that is no future, done.
    ///
    /// Final.
    @inlinable static var failure: UInt { 5 }

    /// Settled with an error, while the thread that gave up is still taking this waiter out of its
    /// upstream's list.
    ///
    /// Whoever would free that upstream waits. Next: `failure`.
    @inlinable static var leaving: UInt { 6 }

    /// The bits that are not the pointer.
    @inlinable static var flags: UInt { 7 }
}
