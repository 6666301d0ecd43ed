/// The values of a node's one atomic word.
///
/// While it is pending, the bits above ``flags`` are a pointer to the newest of the nodes that wait for
/// this one (none: zero).
@usableFromInline
enum StateWord {
    /// Pending: no result yet, and no thread is changing the node.
    ///
    /// Next: `locked`, or `value` where the one deliverer of a derived future settles it.
    @inlinable static var pending: UInt { 0 }

    /// A bit beside a pending list: one thread edits the list, or writes the result.
    ///
    /// All others wait for the few instructions that this takes. Next: `pending` with the same or another
    /// list, `value`, `failure`, `detaching`.
    @inlinable static var locked: UInt { 1 }

    /// The bit that all settled words share.
    @inlinable static var settled: UInt { 4 }

    /// Settled with a value; for a node that is not a future: delivered to.
    ///
    /// Final.
    @inlinable static var value: UInt { 4 }

    /// Settled with an error; for a node that is not a future: given up, or released by its upstream.
    ///
    /// Final.
    @inlinable static var failure: UInt { 5 }

    /// Settled with an error, while one thread still takes the node out of its upstream's list.
    ///
    /// A thread that would free that upstream waits. Next: `failure`.
    @inlinable static var detaching: UInt { 6 }

    /// The bits that are not the pointer.
    @inlinable static var flags: UInt { 7 }
}
