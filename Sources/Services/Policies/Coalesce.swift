import PledgeFutures

extension Middleware where Input: Hashable {
    /// Lets calls with equal inputs share one call of the service while it is in flight.
    ///
    /// This is ``coalesce(by:sharing:)`` with the input itself as the key.
    ///
    /// - Parameter group: The group within which calls are shared; nil for the calls of this stack only.
    public static func coalesce(sharing group: Coalescer<Input, Output>? = nil) -> Middleware {
        .coalesce(by: { $0 }, sharing: group)
    }
}

extension Middleware {
    /// Lets calls with equal keys share one call of the service while it is in flight.
    ///
    /// ```swift
    /// let load = stack(.deadline(.seconds(10)), .coalesce(by: \.id), .retry(), over: loadProduct)
    /// ```
    ///
    /// The first caller calls the service. Callers that arrive before this call has ended wait for its result. Nothing
    /// is kept afterwards: the next caller makes a new call. If a caller cancels, or its own deadline outside this
    /// middleware passes, the other callers still get the answer. When the last caller leaves, the call is cancelled
    /// and its answer discarded; a later caller makes a new call. (As in Go's singleflight.)
    ///
    /// **Context.** The joined call runs in its first caller's context, even after that caller has left: it has that
    /// caller's deadline, attempt and observers. The observers of other callers learn that they joined. If the call
    /// fails after the first caller's deadline, the failure goes only to the callers whose own deadline has passed, and
    /// to those whose input must not be sent again (``Replayable``). The others share a new call, which is made at once
    /// in the context of the caller with the most time left.
    ///
    /// **Priority.** The joined call gets the highest ``CallContext/priority`` of all callers who have joined it. A
    /// call that waits in a `Bulkhead` moves up when a more important caller joins. The call keeps its new
    /// position when that caller leaves. A task that awaits a caller's future raises the priority of the tasks that
    /// work for the joined call.
    ///
    /// **Cookies.** A Set-Cookie in an HTTP response goes to the caller that made the call. The others get the
    /// response, or the error that contains it, without the cookie. Calls for a user who has signed out can't be
    /// joined.
    ///
    /// **Changes.** After ``Memo/invalidate(_:)`` on a memo above or below this middleware, or
    /// ``Coalescer/invalidate(_:)``, the next caller makes a new call, even if one is in flight.
    ///
    /// Answers arrive in the order of the callers, on the thread that settles the joined call. Each call takes a lock
    /// for constant time, and its key is hashed and compared under this lock. Beware: a service that calls its own
    /// stack with the same key, and waits for that call, waits forever.
    ///
    /// - Parameters:
    ///   - key: Returns an input's key, which must include everything that the answer depends on, such as the user; nil
    ///     if the call isn't shared. Called once per call, on the caller's thread. If a key isn't equal to itself, such
    ///     as a NaN, the call isn't shared.
    ///   - group: The group within which calls are shared; nil for the calls of this stack only. In stacks that share a
    ///     group, equal keys must have the same meaning.
    public static func coalesce<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key?, sharing group: Coalescer<Key, Output>? = nil
    ) -> Middleware {
        .coalesce(by: key, about: { _ in nil }, changing: { _ in false }, sharing: group)
    }

    /// Lets calls share one call, for inputs that either ask about something or change it, such as HTTP requests.
    ///
    /// Once an input that changes its subject has ended, later inputs about that subject don't share a call that began
    /// before that end.
    ///
    /// - Parameters:
    ///   - key: Returns an input's key; nil if the call isn't shared.
    ///   - subject: Returns the thing that an input asks about, or changes; nil if it isn't known.
    ///   - changes: Returns whether an input without a key changes its subject.
    ///   - group: The group within which calls are shared; nil for the calls of this stack only.
    package static func coalesce<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key?,
        about subject: @escaping @Sendable (Input) -> AnyHashable?,
        changing changes: @escaping @Sendable (Input) -> Bool,
        sharing group: Coalescer<Key, Output>?
    ) -> Middleware {
        Middleware(named: "coalesce") { service in
            let group = group ?? Coalescer()
            return { input in
                if let own = key(input) {
                    return group.call(own, about: subject, service, input)
                }
                guard changes(input) else { return service(input) }
                return group.change(subject, service, input)
            }
        }
    }
}

/// A group of calls in flight that may be shared.
///
/// ```swift
/// let group = Coalescer<Product.ID, Product>()
/// let list = stack(.coalesce(by: \.id, sharing: group), .retry(), over: loadProduct)
/// let detail = stack(.coalesce(by: \.id, sharing: group), .timeout(.seconds(2)), over: loadProduct)
/// ```
///
/// ``Middleware/coalesce(by:sharing:)`` creates a group for each stack. Create one yourself to share
/// calls between stacks. You can use it from any thread.
public final class Coalescer<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The number of joined calls in flight.
    package var count: Int { machine.withLock { $0.count } }

    /// Makes the next caller with a key start a new call, because the answer has changed.
    ///
    /// A call in flight continues for the callers it has. A ``Memo`` that is invalidated also invalidates the calls in
    /// flight below and above it. (Singleflight's `Forget`, in Go.)
    public func invalidate(_ key: Key) {
        machine.withLock { $0.invalidate(AnyHashable(key)) }
    }

    /// Makes the next callers of all keys start new calls.
    public func invalidateAll() { machine.withLock { $0.invalidateAll() } }

    /// Creates a group without calls.
    ///
    /// - Parameter name: The name in events and errors; nil for none. It must hold no secrets.
    public init(named name: String? = nil) { self.name = name }

    private let machine = Locked(Machine())
    /// The classifier for the reported outcomes.
    ///
    /// It is stored, because finding the type's own rules takes a lookup at run time.
    private let classifier = Classifier<Output>.standard
    /// True if an answer may have a part that is only for the caller that made the call.
    ///
    /// It is stored, because finding out takes a lookup at run time.
    private let hasOwnParts = Output.self is any UserBound.Type
}

/// The machine for groups of all types; all callers of a group are `Caller<Output>`.
///
/// If it were generic over the key and the caller, looking up these types at run time would take most of the time of a
/// call that ends at once.
private typealias Machine = CoalesceMachine<AnyHashable, AnyCaller, CallHandle>

/// A call in flight.
private struct CallHandle: Sendable {
    let giveUp: @Sendable () -> Void
    /// The future whose tasks get a higher priority when a more important task awaits an answer.
    let future: FutureNode
}

private let coalescePolicy = "coalesce"

extension Coalescer {
    /// - Parameter subject: Returns the thing that the input asks about, which other inputs may change.
    func call<Input: Sendable>(
        _ key: Key, about subject: (Input) -> AnyHashable?,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        // A key that isn't equal to itself, such as a NaN, would not be found again.
        guard key == key else { return service(input) }
        let context = CallContext.current
        let erased = AnyHashable(key)
        let era = Era.current
        let since = era == .first ? era : self.since(in: context, erased, subject(input))
        let entry = machine.withLock { machine -> Machine.Entry? in
            if hasOwnParts, machine.isOver(erased) { return nil }
            return machine.addCaller(
                erased, since: since, in: era, notes: notes(in: context),
                caller(context, service, input))
        }
        // There is no entry if the call in flight is for a user who has signed out. This caller may be another user
        // with the same key, so it doesn't join that call.
        guard let entry else { return service(input) }
        switch entry {
        case .joined(let caller, let number, let callers, let notes):
            notes.add(to: context)
            notes.priority?.raise(to: context.priority)
            context.report(.coalesced(callers: callers), by: coalescePolicy, named: name)
            return wait(caller, notes, key, number)
        case .first(let number, let notes):
            notes.add(to: context)
            let future =
                context.isPlain && notes.isEmpty && era == .first
                ? service(input) : share(service, input, in: context, notes, name, classifier)
            if future.hasSucceeded {
                let ended = machine.withLock { $0.endCall(erased, call: number) }
                if !ended.callers.isEmpty { deliver(ended, of: future) }
                return future
            }
            return follow(future, notes, key, number, context, service, input)
        }
    }

    /// Returns the earliest era in which a call may have begun if this caller is to share it.
    ///
    /// If the call in flight depends on an outdated answer, this closes the call to new callers. Memos are asked
    /// whether an answer is outdated. This happens while no lock is held, because memos compare keys, and that runs the
    /// key types' own code.
    private func since(
        in context: CallContext, _ key: AnyHashable, _ subject: @autoclosure () -> AnyHashable?
    ) -> Era {
        let (change, call) = machine.withLock {
            ($0.lastChange(of: subject()), $0.notes(key)?.joined)
        }
        if let call, call.isOutdated { machine.withLock { $0.invalidate(key, call) } }
        return max(context.since, change)
    }

    private func notes(in context: CallContext) -> CallNotes {
        let isRecorded = hasOwnParts || context.record != nil
        return CallNotes(
            record: isRecorded ? CallRecord() : nil, joined: .make(),
            priority: .make(in: context))
    }

    /// Makes a call that changes its subject.
    ///
    /// Callers that come after this call's end don't share a call that began before that end.
    ///
    /// - Parameter subject: Returns the thing that the input changes.
    func change<Input: Sendable>(
        _ subject: @escaping @Sendable (Input) -> AnyHashable?,
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        service(input).atEnd {
            guard let subject = subject(input) else { return }
            self.machine.withLock { $0.change(subject, in: .begin()) }
        }
    }

    /// Returns the first caller's future, for a call that is pending or has failed.
    private func follow<Input: Sendable>(
        _ future: Future<Output>, _ notes: CallNotes, _ key: Key, _ call: Int,
        _ context: CallContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        if let result = future.result, !isTooLate(result, context) {
            deliver(machine.withLock { $0.endCall(AnyHashable(key), call: call) }, result)
            return future
        }
        let caller = caller(context, service, input)
        let number = machine.withLock { $0.seat(caller, AnyHashable(key), call: call) }
        watch(future, notes, key, call, of: caller)
        return wait(caller, notes, key, number)
    }

    private func caller<Input: Sendable>(
        _ context: CallContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Caller<Output> {
        Caller(context, name, service, input, classifier)
    }

    /// Returns a caller's future.
    ///
    /// Cancelling the future removes the caller. A task that awaits the future raises the priority of the call's tasks.
    private func wait(
        _ caller: AnyCaller, _ notes: CallNotes, _ key: Key, _ number: Int
    ) -> Future<Output> {
        let promise = own(caller).promise
        promise.onCancel {
            let left = self.machine.withLock { $0.leave(AnyHashable(key), caller: number) }
            left.call?.giveUp()
        } raising: { priority in
            let call = self.machine.withLock {
                $0.raise(AnyHashable(key), caller: number, to: priority)
            }
            return call.map { [$0.future] } ?? []
        }
        return promise.raising(notes.priority, in: caller.context)
    }

    private func own(_ caller: AnyCaller) -> Caller<Output> {
        unsafeDowncast(caller, to: Caller<Output>.self)
    }

    /// Waits for the end of a call.
    ///
    /// - Parameter maker: The caller that made the call.
    private func watch(
        _ future: Future<Output>, _ notes: CallNotes, _ key: Key, _ number: Int,
        of maker: AnyCaller
    ) {
        // The wait is a future of its own. Cancelling it doesn't settle the service's future, which others may hold
        // too.
        let call = future.onEnd { result in
            if self.isTooLate(result, maker.context),
                self.callAgain(key, notes, number, of: maker, result)
            {
                return
            }
            let removed = self.machine.withLock { $0.endCall(AnyHashable(key), call: number) }
            self.deliver(removed, result, of: maker)
        }
        let giveUp: @Sendable () -> Void = {
            notes.record?.close()
            call.cancel()
        }
        let handle = CallHandle(giveUp: giveUp, future: call)
        let (isWanted, raised) = machine.withLock {
            $0.keep(handle, AnyHashable(key), call: number)
        }
        if !isWanted { call.cancel() }
        if let raised { call.raise(to: raised) }
    }

    /// Returns whether a call failed after its own deadline; other callers may have more time.
    private func isTooLate(
        _ result: Result<Output, any Error>, _ context: CallContext
    ) -> Bool {
        guard case .failure = result, let remaining = context.remaining else { return false }
        return remaining <= .zero
    }

    /// Gives a settled future's result to callers.
    ///
    /// This is a separate function because it looks up generic types at run time. If it were inlined, every call would
    /// do these lookups.
    @inline(never)
    private func deliver(_ removed: Machine.Removed, of future: Future<Output>) {
        deliver(removed, future.result)
    }

    /// Settles callers: the maker of the call gets the whole result, and the others get the parts that may be shared.
    ///
    /// - Parameter maker: The caller that made the call; nil if it already has the result.
    private func deliver(
        _ removed: Machine.Removed, _ result: Result<Output, any Error>?,
        of maker: AnyCaller? = nil
    ) {
        guard let result else { return }
        let others = hasOwnParts || result.failure != nil ? result.forOthers : result
        for caller in removed.callers {
            own(caller).promise.settle(with: caller === maker ? result : others)
        }
    }
}

// MARK: - Calling again

extension Coalescer {
    /// Ends a call for the callers that have no time left or must not send again, and makes a new call for the others.
    ///
    /// - Returns: False if there are no other callers.
    private func callAgain(
        _ key: Key, _ notes: CallNotes, _ number: Int, of maker: AnyCaller,
        _ result: Result<Output, any Error>
    ) -> Bool {
        let callers = machine.withLock { $0.callers(AnyHashable(key), call: number) }
        let verdict = notes.record?.verdict ?? .nothing
        let (late, next) = choose(among: callers, after: verdict, result.failure)
        guard let next = next.map(own) else { return false }
        let (call, removed) = machine.withLock {
            $0.renew(AnyHashable(key), call: number, endingFor: late, in: .current)
        }
        if let call { watch(next.call(notes), notes, key, call, of: next) }
        deliver(removed, result, of: maker)
        return true
    }
}

/// Returns the callers that can't go on, and of the others, the caller with the most time left.
///
/// A caller can't go on if it has no time left, or if its input must not be sent again.
///
/// This function runs outside the lock, because clocks and inputs are the user's code.
private func choose(
    among callers: [Int: AnyCaller], after verdict: CallRecord.Verdict,
    _ error: (any Error)?
) -> (late: [Int], next: AnyCaller?) {
    var late: [Int] = []
    var next: AnyCaller?
    var most: Duration?
    for (number, caller) in callers.sorted(by: { $0.key < $1.key }) {
        let remaining = caller.context.remaining
        if !caller.mayRepeat(after: verdict, error) || remaining.map({ $0 <= .zero }) ?? false {
            late.append(number)
        } else if next == nil {
            (next, most) = (caller, remaining)
        } else if let longest = most, remaining.map({ $0 > longest }) ?? true {
            (next, most) = (caller, remaining)
        }
    }
    return (late, next)
}

// MARK: - Callers

/// A caller that waits for a call of any type.
///
/// Unchecked, because the compiler can't check a class with subclasses.
private class AnyCaller: @unchecked Sendable {
    let context: CallContext
    private let repeatability: @Sendable (CallRecord.Verdict, (any Error)?) -> Repeatability

    init(
        _ context: CallContext,
        _ repeatability: @escaping @Sendable (CallRecord.Verdict, (any Error)?) -> Repeatability
    ) {
        self.context = context
        self.repeatability = repeatability
    }

    final func mayRepeat(after verdict: CallRecord.Verdict, _ error: (any Error)?) -> Bool {
        repeatability(verdict, error) != .refused
    }
}

/// A caller that waits for a call.
///
/// Unchecked, like its superclass; it has no mutable state.
private final class Caller<Output: Sendable>: AnyCaller, @unchecked Sendable {
    let promise = InternalPromise<Output>()
    let call: @Sendable (CallNotes) -> Future<Output>

    init<Input: Sendable>(
        _ context: CallContext, _ name: String?, _ service: @escaping Service<Input, Output>,
        _ input: Input, _ classifier: Classifier<Output>
    ) {
        // If this caller makes a new call later, that call starts on the thread on which the first call ended. So the
        // caller's task-local values are kept for it.
        let caller = CallerContext(keeping: context)
        call = { notes in
            let input = notes.record?.next(input) ?? input
            return caller.run { share(service, input, in: context, notes, name, classifier) }
        }
        super.init(context) {
            Repeatability(of: input, after: $0, $1)
        }
    }
}

/// Calls the service for all callers of a joined call.
private func share<Input: Sendable, Output: Sendable>(
    _ service: Service<Input, Output>, _ input: Input, in context: CallContext,
    _ notes: CallNotes, _ name: String?, _ classifier: Classifier<Output>
) -> Future<Output> {
    // A caller that joins this call may need an answer from the present era, the time since the last invalidation. So
    // this call must not share a call below that began in an earlier era.
    let context = context.with(
        since: .current, joinedCall: notes.joined, priority: notes.priority)
    return context.call(
        "joined call", attempt: context.attempt, record: notes.record, by: coalescePolicy,
        named: name,
        classifier: classifier, service, input)
}
