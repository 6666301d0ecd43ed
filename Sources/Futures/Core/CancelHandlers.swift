internal import CFutures

/// The handlers of one producer, in order of registration: a list that is built under its future's
/// lock and walked once, by the thread that cancels.
@usableFromInline
final class CancelHandlers: @unchecked Sendable {
    private let handler: @Sendable () -> Void
    private var next: CancelHandlers?
    /// The end of the list; kept in its first element only.
    private var last: CancelHandlers?
    /// What was put off after this, with the retain that the list has of it.
    private var nextPutOff: Unmanaged<CancelHandlers>?

    init(_ handler: @escaping @Sendable () -> Void) {
        self.handler = handler
    }

    deinit {
        // Frees a long list in a loop, not by recursion.
        last = nil
        var rest = next
        next = nil
        while let handlers = rest {
            rest = handlers.next
            handlers.next = nil
        }
    }

    /// Appends one handler.
    ///
    /// Called on the first element.
    func append(_ handlers: CancelHandlers) {
        if let last {
            last.next = handlers
        } else {
            next = handlers
        }
        last = handlers
    }

    /// Calls all handlers, now or before the outermost such call on this thread returns.
    ///
    /// A handler may cancel what has handlers of its own, and so on: a stack of any height.
    func callInTurn() {
        let thread = cfutures_current_thread()
        guard thread.pointee.cancel_depth < 32, thread.pointee.cancel_head == nil else {
            return putOff(thread)
        }
        thread.pointee.cancel_depth += 1
        call()
        while thread.pointee.cancel_depth == 1, let head = thread.pointee.cancel_head {
            let handlers = Unmanaged<CancelHandlers>.fromOpaque(head).takeRetainedValue()
            thread.pointee.cancel_head = handlers.nextPutOff?.toOpaque()
            if thread.pointee.cancel_head == nil { thread.pointee.cancel_tail = nil }
            handlers.call()
        }
        thread.pointee.cancel_depth -= 1
    }

    private func putOff(_ thread: UnsafeMutablePointer<cfutures_thread_state>) {
        let reference = Unmanaged.passRetained(self)
        if let tail = thread.pointee.cancel_tail {
            Unmanaged<CancelHandlers>.fromOpaque(tail)._withUnsafeGuaranteedRef {
                $0.nextPutOff = reference
            }
        } else {
            thread.pointee.cancel_head = reference.toOpaque()
        }
        thread.pointee.cancel_tail = reference.toOpaque()
    }

    /// Calls all handlers.
    private func call() {
        var current: CancelHandlers? = self
        while let handlers = current {
            handlers.handler()
            current = handlers.next
        }
    }
}
