public import PledgeFutures

extension Middleware where Input: Hashable {
    /// Keeps the answers for a time to live, by their inputs.
    ///
    /// It is ``memoise(by:timeToLive:limit:classifier:on:)`` with the input itself as key.
    ///
    /// - Parameters:
    ///   - timeToLive: How long an answer is used. Zero or less is a programming error and traps.
    ///   - limit: The largest number of answers. Less than one is a programming error and traps.
    ///   - classifier: Decides which values are answers to be kept.
    ///   - scheduler: The clock.
    public static func memoise(
        timeToLive: Duration, limit: Int = 100, classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live
    ) -> Middleware {
        .memoise(
            by: { $0 }, timeToLive: timeToLive, limit: limit, classifier: classifier,
            on: scheduler)
    }

    /// Keeps the answers in a shared memo, by their inputs.
    ///
    /// It is ``memoise(by:sharing:classifier:)`` with the input itself as key.
    ///
    /// - Parameters:
    ///   - memo: The memo that holds the answers.
    ///   - classifier: Decides which values are answers to be kept.
    public static func memoise(
        sharing memo: Memo<Input, Output>, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .memoise(by: { $0 }, sharing: memo, classifier: classifier)
    }
}

extension Middleware {
    /// Keeps the answers for a time to live, by a key.
    ///
    /// ```swift
    /// let load = stack(
    ///     .memoise(by: \.id, timeToLive: .seconds(60)), .coalesce(by: \.id), over: loadProduct)
    /// ```
    ///
    /// A kept answer is returned at once, on the caller's thread; otherwise the service is called,
    /// in the caller's context, and an answer that is a success by the classifier is kept
    /// from its arrival on. Failures are not kept. Calls for one key that find no answer at the
    /// same time each call the service: ``coalesce(by:sharing:)-((Input)->Key,_)`` beneath lets
    /// them share one. If there are several answers, that of the call that began last is kept.
    /// An HTTP response is kept without its Set-Cookie, which is for the first caller, and until the user that it
    /// was sent for signs out.
    ///
    /// Each service that this is put around has its own answers; to share or invalidate answers, make a
    /// ``Memo``, whose page describes expiry and eviction.
    ///
    /// - Parameters:
    ///   - key: Returns the key of an input, which must include everything that an answer depends on, such as
    ///     the user. Called once a call, on the caller's thread. A key that is not equal to itself, such as a
    ///     NaN, counts as no key: the service is called.
    ///   - timeToLive: How long an answer is used. Zero or less is a programming error and traps.
    ///   - limit: The largest number of answers. Less than one is a programming error and traps.
    ///   - classifier: Decides which values are answers to be kept.
    ///   - scheduler: The clock.
    public static func memoise<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, timeToLive: Duration, limit: Int = 100,
        classifier: Classifier<Output> = .standard, on scheduler: some Scheduler = .live
    ) -> Middleware {
        // Checks the arguments when the stack is built.
        _ = Memo<Key, Output>(timeToLive: timeToLive, limit: limit, on: scheduler)
        return Middleware(named: "memoise") { service in
            let memo = Memo<Key, Output>(timeToLive: timeToLive, limit: limit, on: scheduler)
            return { input in memo.call(key(input), service, input, classifier) }
        }
    }

    /// Keeps the answers in a shared memo, by a key.
    ///
    /// Otherwise as ``memoise(by:timeToLive:limit:classifier:on:)``. In stacks that share a memo, equal keys
    /// must have the same meaning.
    ///
    /// - Parameters:
    ///   - key: Returns the key of an input, which must include everything that an answer depends on, such as
    ///     the user. Called once a call, on the caller's thread. A key that is not equal to itself, such as a
    ///     NaN, counts as no key: the service is called.
    ///   - memo: The memo that holds the answers.
    ///   - classifier: Decides which values are answers to be kept.
    public static func memoise<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, sharing memo: Memo<Key, Output>,
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: "memoise") { service in
            { input in memo.call(key(input), service, input, classifier) }
        }
    }
}
