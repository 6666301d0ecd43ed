import Futures

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
private typealias Machine = CoalesceMachine<AnyHashable, AnyCaller, @Sendable () -> Void>

private let coalescePolicy = "coalesce"

extension Coalescer {
    func call<Input: Sendable>(
        _ key: Key, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        // A key that is not equal to itself, such as a NaN, would not be found again.
        guard key == key else { return service(input) }
        let context = CallContext.current
        let erased = AnyHashable(key)
        let entered = machine.withLock { machine -> (Machine.Entry, CallRecord?)? in
            if hasOwnParts, machine.isOver(erased) { return nil }
            let entry = machine.enter(erased, caller(context, service, input))
            let isRecorded = hasOwnParts || context.record != nil
            return (entry, isRecorded ? machine.record(of: entry, erased) : nil)
        }
        // The answer under way is for a user who has signed out: the key does not tell users apart.
        guard let (entry, record) = entered else { return service(input) }
        if let record { context.record?.adopt(record) }
        switch entry {
        case .joined(let caller, let number, let callers):
            context.report(.coalesced(callers: callers), by: coalescePolicy, named: name)
            return wait(caller, key, number)
        case .first(let number):
            let future =
                context.isPlain && record == nil
                ? service(input) : share(service, input, in: context, record, name, classifier)
            if future.hasSucceeded {
                let ended = machine.withLock { $0.end(erased, call: number) }
                if !ended.callers.isEmpty { deliver(ended, of: future) }
                return future
            }
            return follow(future, record, key, number, context, service, input)
        }
    }

    /// Continues with the first caller's call, which is pending or has failed.
    private func follow<Input: Sendable>(
        _ future: Future<Output>, _ record: CallRecord?, _ key: Key, _ call: Int,
        _ context: CallContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        if let result = future.result, !isTooLate(result, context) {
            deliver(machine.withLock { $0.end(AnyHashable(key), call: call) }, result)
            return future
        }
        let caller = caller(context, service, input)
        let number = machine.withLock { $0.seat(caller, AnyHashable(key), call: call) }
        watch(future, record, key, call, of: caller)
        return wait(caller, key, number)
    }

    private func caller<Input: Sendable>(
        _ context: CallContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Caller<Output> {
        Caller(context, name, service, input, classifier, hasOwnParts: hasOwnParts)
    }

    /// The future of a caller, which removes the caller when it is given up.
    private func wait(_ caller: AnyCaller, _ key: Key, _ number: Int) -> Future<Output> {
        let promise = own(caller).promise
        promise.onCancel {
            let left = self.machine.withLock { $0.leave(AnyHashable(key), caller: number) }
            left.call?()
        }
        return promise
    }

    private func own(_ caller: AnyCaller) -> Caller<Output> {
        unsafeDowncast(caller, to: Caller<Output>.self)
    }

    /// Waits for the end of a call.
    ///
    /// - Parameter maker: The caller that has made it.
    private func watch(
        _ future: Future<Output>, _ record: CallRecord?, _ key: Key, _ number: Int,
        of maker: AnyCaller
    ) {
        // A separate branch: cancelling it does not affect other holders of the future.
        let call = future.onEnd { result in
            if self.isTooLate(result, maker.context),
                self.callAgain(key, record, number, of: maker, result)
            {
                return
            }
            let removed = self.machine.withLock { $0.end(AnyHashable(key), call: number) }
            self.deliver(removed, result, of: maker)
        }
        let giveUp: @Sendable () -> Void = {
            record?.close()
            call.cancel()
        }
        let isWanted = machine.withLock { $0.keep(giveUp, AnyHashable(key), call: number) }
        if !isWanted { call.cancel() }
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
        _ key: Key, _ record: CallRecord?, _ number: Int, of maker: AnyCaller,
        _ result: Result<Output, any Error>
    ) -> Bool {
        let callers = machine.withLock { $0.callers(AnyHashable(key), call: number) }
        let verdict = record?.verdict ?? .nothing
        let (late, next) = choose(among: callers, after: verdict, result.failure)
        guard let next = next.map(own) else { return false }
        let (call, removed) = machine.withLock {
            $0.renew(AnyHashable(key), call: number, endingFor: late)
        }
        if let call { watch(next.call(record), record, key, call, of: next) }
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
    let call: @Sendable (CallRecord?) -> Future<Output>

    init<Input: Sendable>(
        _ context: CallContext, _ name: String?, _ service: @escaping Service<Input, Output>,
        _ input: Input, _ classifier: Classifier<Output>, hasOwnParts: Bool
    ) {
        call = { share(service, $0?.next(input) ?? input, in: context, $0, name, classifier) }
        super.init(context, keeper: hasOwnParts ? input as? any AnswerKeeping : nil) {
            Repeatability(of: input, after: $0, $1)
        }
    }
}

/// Calls the service for all who share the call.
private func share<Input: Sendable, Output: Sendable>(
    _ service: Service<Input, Output>, _ input: Input, in context: CallContext,
    _ record: CallRecord?, _ name: String?, _ classifier: Classifier<Output>
) -> Future<Output> {
    context.call(
        "shared call", attempt: context.attempt, record: record, by: coalescePolicy, named: name,
        classifier: classifier, service, input)
}
