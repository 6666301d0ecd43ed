public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Keeps answers in a store that several machines share, by key.
    ///
    /// ```swift
    /// let load = stack(
    ///     .memoize(by: \.id, sharing: Memo(timeToLive: .seconds(5))), .coalesce(by: \.id),
    ///     .memoize(by: { "\($0.id)" }, sharing: products), over: loadProduct)
    /// ```
    ///
    /// A call first asks the store. If the store has an answer, the service isn't called. Otherwise the service is
    /// called, in the caller's context, and the answer is sent to the store in the background if the classifier calls
    /// it a success. A value that the memo can't decode counts as no answer.
    ///
    /// Put a local memo with a short time to live and a `coalesce(by:sharing:)` above it, so that a
    /// process asks the store once for many calls.
    ///
    /// - Parameters:
    ///   - key: Returns an input's key, which must include everything that the answer depends on, such as the user. It
    ///     must hold no secrets, because it is a part of the key in the store. Called once per call, on the caller's
    ///     thread.
    ///   - memo: The memo.
    ///   - classifier: Decides which values are kept as answers.
    public static func memoize(
        by key: @escaping @Sendable (Input) -> String, sharing memo: SharedMemo<Output>,
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: SharedMemo<Output>.policy) { service in
            { input in memo.call(key(input), service, input, classifier) }
        }
    }
}

/// The answers of `memoize(by:sharing:classifier:)` in a store that several machines share.
///
/// ```swift
/// let products = SharedMemo<Product>(
///     timeToLive: .seconds(300), shared: SharedState("product", in: store),
///     encode: { Array(try JSONEncoder().encode($0)) },
///     decode: { try JSONDecoder().decode(Product.self, from: Data($0)) })
/// ```
///
/// An answer's time to live begins when the store gets it, and counts by the store's clock. You can use the memo from
/// any thread.
public final class SharedMemo<Output: Sendable>: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// Discards one answer, for all machines.
    ///
    /// Calls of this process in flight for this key continue, but their answers aren't kept. Another machine's call in
    /// flight may still bring an outdated answer, and machines with a local memo keep their copies for its time to
    /// live. In a stack with a local memo, discard the answer here first.
    ///
    /// - Returns: A future that settles when the store has discarded the answer. It rejects if the store fails; then
    ///   the store may still have the answer, so call this again later.
    @discardableResult
    public func invalidate(_ key: String) -> Future<Void> {
        invalidations.withLockThenRelease { $0.invalidate(key, in: .begin()) }
        let removing = Promise<Void>()
        state.tell(for: asker(.current)) {
            $0.set(nil, for: self.name(of: key), lifetime: self.timeToLive)
        } then: { [state] result in
            removing.settle(
                with: result.map { .success($0) }
                    ?? .failure(
                        ServiceError(
                            .storeFailed, policy: Self.policy, policyName: self.name,
                            cause: state.storeError)))
        }
        return removing
    }

    /// Creates a memo.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - timeToLive: The time to keep an answer, up to 366 days. A value out of range is a programming error and
    ///     traps.
    ///   - shared: The place of the answers. Answers of another type, or in another format, need another key.
    ///   - encode: Returns an answer's bytes. If it throws, the answer isn't kept.
    ///   - decode: Returns the answer that the bytes stand for. If it throws, the bytes count as no answer.
    public init(
        named name: String? = nil, timeToLive: Duration, shared: SharedState,
        encode: @escaping @Sendable (Output) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Output
    ) {
        precondition(
            timeToLive > .zero && timeToLive <= .seconds(366 * 24 * 3_600),
            "memoize needs a timeToLive of more than zero, up to 366 days, not \(timeToLive)")
        self.name = name
        self.timeToLive = timeToLive
        self.encode = encode
        self.decode = decode
        state = shared
        JoinedCall.expectMemos()
    }

    private let timeToLive: Duration
    private let state: SharedState
    private let encode: @Sendable (Output) throws -> [UInt8]
    private let decode: @Sendable ([UInt8]) throws -> Output
    private let invalidations = Locked(Invalidations<String>(limit: 100))
}

extension SharedMemo {
    static var policy: String { "memoize" }

    private func asker(_ context: CallContext) -> SharedState.Asker {
        SharedState.Asker(policy: Self.policy, name: name, context: context)
    }

    private func name(of key: String) -> String { "\(state.key):memoize:\(key)" }

    func call<Input: Sendable>(
        _ key: String, _ service: @escaping Service<Input, Output>, _ input: Input,
        _ classifier: Classifier<Output>
    ) -> Future<Output> {
        let context = CallContext.current
        let era = Era.current
        context.joinedCall?.add { self.isInvalidated(key, since: era) }
        var asker = asker(context)
        asker.subject = loggedName(of: input)
        let asking = state.ask(for: asker) { $0.value(for: self.name(of: key)) }
        let caller = CallerContext(keeping: context, until: asking)
        return asking.flatMap { bytes in
            if let bytes = bytes ?? nil, !self.isInvalidated(key, since: era),
                let value = try? self.decode(bytes)
            {
                context.report(.hit, by: Self.policy, named: self.name)
                return Future(value: value)
            }
            context.report(.miss, by: Self.policy, named: self.name)
            return caller.run { service(input) }.onEnd { result in
                self.keepAnswer(key, result, classifier, since: era, context)
            }
        }
    }

    private func isInvalidated(_ key: String, since era: Era) -> Bool {
        invalidations.withLock { $0.last(of: key) } > era
    }

    /// Sends an answer to the store, unless the key was invalidated after the call began.
    private func keepAnswer(
        _ key: String, _ result: Result<Output, any Error>, _ classifier: Classifier<Output>,
        since era: Era, _ context: CallContext
    ) {
        guard !result.isOver, case .success(let value) = result.forOthers,
            classifier(result).isSuccess,
            !isInvalidated(key, since: era), let bytes = try? encode(value)
        else { return }
        state.tell(for: asker(context)) {
            $0.set(bytes, for: self.name(of: key), lifetime: self.timeToLive)
        } then: { _ in
            // If the key was invalidated meanwhile, the store may have removed the answer before it got this one.
            if self.isInvalidated(key, since: era) { self.invalidate(key) }
        }
    }
}
