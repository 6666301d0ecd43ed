import PledgeFutures

/// The calls that are under way and may be shared.
///
/// ```swift
/// let group = Coalescer<Product.ID, Product>()
/// let list = stack(.coalesce(by: \.id, sharing: group), .retry(), over: loadProduct)
/// let detail = stack(.coalesce(by: \.id, sharing: group), .timeout(.seconds(2)), over: loadProduct)
/// ```
///
/// ``Middleware/coalesce(by:sharing:)-((Input)->Key,_)`` makes one for each stack; make one yourself if
/// several stacks should share their calls. It may be used from any thread.
public final class Coalescer<Key: Hashable & Sendable, Output: Sendable> {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How many calls of services are under way.
    public var count: Int { machine.withLock { $0.count } }

    /// Lets no later caller share the call under way for a key, because what it answers has changed.
    ///
    /// The call goes on for the callers it has; the next caller makes a new one. A ``Memo`` does so by itself
    /// for the calls beneath it and above it. (Singleflight's `Forget`, in Go.)
    public func invalidate(_ key: Key) {
        machine.withLock { $0.invalidate(AnyHashable(key)) }
    }

    /// Lets no later caller share a call under way.
    public func invalidateAll() { machine.withLock { $0.invalidateAll() } }

    /// Makes a group without calls.
    ///
    /// - Parameter name: The name in its events and errors; nil for none. It must hold no secrets.
    public init(named name: String? = nil) { self.name = name }

    private let machine = Locked(Machine())
    /// The classifier of the reported outcomes.
    ///
    /// Stored, because the check whether the type has its own rules is a look-up at run time.
    private let classifier = Classifier<Output>.standard
    /// Whether a part of the answers is for the maker of a call alone; stored, since it is looked up as well.
    private let hasOwnParts = Output.self is any Shareable.Type
}

/// The machine of all groups, whatever their types; all callers of a group are `Caller<Output>`.
///
/// With the types of the key and of the caller, looking up generic types at run time would take most of the
/// time of a call that ends at once.
private typealias Machine = CoalesceMachine<AnyHashable, AnyCaller, CallHandle>

/// A call under way.
private struct CallHandle: Sendable {
    let giveUp: @Sendable () -> Void
    /// What a task that awaits an answer raises.
    let future: FutureNode
}

private let coalescePolicy = "coalesce"

extension Coalescer {
    /// - Parameter subject: Returns what the input asks about, which other inputs may change.
    func call<Input: Sendable>(
        _ key: Key, about subject: ((Input) -> AnyHashable?)? = nil,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        // A key that is not equal to itself, such as a NaN, would not be found again.
        guard key == key else { return service(input) }
        let context = CallContext.current
        let erased = AnyHashable(key)
        let era = Era.current
        let since = era == .first ? era : self.since(in: context, erased, subject?(input))
        let entry = machine.withLock { machine -> Machine.Entry? in
            if hasOwnParts, machine.isOver(erased) { return nil }
            return machine.enter(
                erased, since: since, in: era, notes: notes(in: context),
                caller(context, service, input))
        }
        // The answer under way is for a user who has signed out: the key does not tell users apart.
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
                let ended = machine.withLock { $0.end(erased, call: number) }
                if !ended.callers.isEmpty { deliver(ended, of: future) }
                return future
            }
            return follow(future, notes, key, number, context, service, input)
        }
    }

    /// The era before which no call may have begun that answers a caller.
    ///
    /// A call under way that depends on an older answer is not shared any more. Memos compare keys, so they are
    /// asked while no lock is held.
    private func since(
        in context: CallContext, _ key: AnyHashable, _ subject: @autoclosure () -> AnyHashable?
    ) -> Era {
        let (change, shared) = machine.withLock {
            ($0.lastChange(of: subject()), $0.notes(key)?.shared)
        }
        if let shared, shared.isOutdated { machine.withLock { $0.invalidate(key, shared) } }
        return max(context.since, change)
    }

    private func notes(in context: CallContext) -> CallNotes {
        let isRecorded = hasOwnParts || context.record != nil
        return CallNotes(
            record: isRecorded ? CallRecord() : nil, shared: .make(),
            priority: .make(in: context))
    }

    /// Makes a call that changes what others ask about: when it has ended, no later caller shares a call that
    /// began before.
    ///
    /// - Parameter subject: Returns what the input changes.
    func change<Input: Sendable>(
        _ subject: @escaping @Sendable (Input) -> AnyHashable?,
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        service(input).atEnd {
            guard let subject = subject(input) else { return }
            self.machine.withLock { $0.change(subject, in: .begin()) }
        }
    }

    /// Continues with the first caller's call, which is pending or has failed.
    private func follow<Input: Sendable>(
        _ future: Future<Output>, _ notes: CallNotes, _ key: Key, _ call: Int,
        _ context: CallContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        if let result = future.result, !isTooLate(result, context) {
            deliver(machine.withLock { $0.end(AnyHashable(key), call: call) }, result)
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
        Caller(context, name, service, input, classifier, hasOwnParts: hasOwnParts)
    }

    /// The future of a caller, which removes the caller when it is given up, and raises the call when a task
    /// awaits it.
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
    /// - Parameter maker: The caller that has made it.
    private func watch(
        _ future: Future<Output>, _ notes: CallNotes, _ key: Key, _ number: Int,
        of maker: AnyCaller
    ) {
        // A separate branch: cancelling it does not affect other holders of the future.
        let call = future.onEnd { result in
            if self.isTooLate(result, maker.context),
                self.callAgain(key, notes, number, of: maker, result)
            {
                return
            }
            let removed = self.machine.withLock { $0.end(AnyHashable(key), call: number) }
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

    /// Whether a call failed at its own deadline, so that other callers may have more time.
    private func isTooLate(
        _ result: Result<Output, any Error>, _ context: CallContext
    ) -> Bool {
        guard case .failure = result, let remaining = context.remaining else { return false }
        return remaining <= .zero
    }

    /// A separate function: it looks up generic types at run time, and inlined, the compiler would do that
    /// for all calls.
    @inline(never)
    private func deliver(_ removed: Machine.Removed, of future: Future<Output>) {
        deliver(removed, future.result)
    }

    /// Gives a result to callers, whole to the maker of the call, and to the others what they may share.
    ///
    /// - Parameter maker: The maker; nil if it has the result already.
    private func deliver(
        _ removed: Machine.Removed, _ result: Result<Output, any Error>?,
        of maker: AnyCaller? = nil
    ) {
        guard let result else { return }
        let shared = hasOwnParts || result.failure != nil ? result.shared : result
        if let maker, !removed.callers.contains(where: { $0 === maker }) {
            maker.keeper?.keep(result)
        }
        for caller in removed.callers {
            own(caller).promise.settle(with: caller === maker ? result : shared)
        }
    }
}

// MARK: - Calling again

extension Coalescer {
    /// Ends a call for the callers without time left, and makes another one for the others.
    ///
    /// - Returns: False if there are no others.
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

/// Returns the callers without time left, and the one with the most.
///
/// Clocks and inputs are the user's code, so it runs outside the lock.
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

extension Coalescer: Sendable {}

// MARK: - Callers

/// A caller that waits for a call of any type.
///
/// Unchecked, as a class that has subclasses cannot be checked.
private class AnyCaller: @unchecked Sendable {
    let context: CallContext
    /// The caller's input, if it learns of each answer.
    let keeper: (any AnswerKeeping)?
    private let repeatability: @Sendable (CallRecord.Verdict, (any Error)?) -> Repeatability

    init(
        _ context: CallContext, keeper: (any AnswerKeeping)?,
        _ repeatability: @escaping @Sendable (CallRecord.Verdict, (any Error)?) -> Repeatability
    ) {
        self.context = context
        self.keeper = keeper
        self.repeatability = repeatability
    }

    final func mayRepeat(after verdict: CallRecord.Verdict, _ error: (any Error)?) -> Bool {
        repeatability(verdict, error) != .refused
    }
}

/// A caller that waits for a call.
///
/// Unchecked, as its superclass is; nothing in it changes.
private final class Caller<Output: Sendable>: AnyCaller, @unchecked Sendable {
    let promise = InternalPromise<Output>()
    /// Calls the service for this caller.
    let call: @Sendable (CallNotes) -> Future<Output>

    init<Input: Sendable>(
        _ context: CallContext, _ name: String?, _ service: @escaping Service<Input, Output>,
        _ input: Input, _ classifier: Classifier<Output>, hasOwnParts: Bool
    ) {
        // Another call for the callers with time left begins where the first has ended.
        let caller = KeptCaller(context)
        call = { notes in
            let input = notes.record?.next(input) ?? input
            return caller.run { share(service, input, in: context, notes, name, classifier) }
        }
        super.init(context, keeper: hasOwnParts ? input as? any AnswerKeeping : nil) {
            Repeatability(of: input, after: $0, $1)
        }
    }
}

/// Calls the service for all who share the call.
private func share<Input: Sendable, Output: Sendable>(
    _ service: Service<Input, Output>, _ input: Input, in context: CallContext,
    _ notes: CallNotes, _ name: String?, _ classifier: Classifier<Output>
) -> Future<Output> {
    // Callers of this era join it, so no call beneath that began in an earlier one may answer it.
    let context = context.with(
        since: .current, sharedCall: notes.shared, priority: notes.priority)
    return context.call(
        "shared call", attempt: context.attempt, record: notes.record, by: coalescePolicy,
        named: name,
        classifier: classifier, service, input)
}
