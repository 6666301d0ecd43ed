public import Futures

extension Middleware where Input: Hashable {
    /// Keeps the answers for a while, by their inputs.
    ///
    /// It is ``memoise(by:timeToLive:limit:classifier:on:)`` with the input itself as key.
    ///
    /// - Parameters:
    ///   - timeToLive: How long an answer is used. Zero or less is a programming error and traps.
    ///   - limit: How many are kept at most. Less than one is a programming error and traps.
    ///   - classifier: Decides which values are answers to be kept.
    ///   - scheduler: Whose time it is.
    public static func memoise(
        timeToLive: Duration, limit: Int = 100, classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live
    ) -> Middleware {
        .memoise(
            by: { $0 }, timeToLive: timeToLive, limit: limit, classifier: classifier,
            on: scheduler)
    }

    /// Keeps the answers in a memo that you hold, by their inputs.
    ///
    /// It is ``memoise(by:sharing:classifier:)`` with the input itself as key.
    ///
    /// - Parameters:
    ///   - memo: Where the answers are.
    ///   - classifier: Decides which values are answers to be kept.
    public static func memoise(
        sharing memo: Memo<Input, Output>, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .memoise(by: { $0 }, sharing: memo, classifier: classifier)
    }
}

extension Middleware {
    /// Keeps the answers for a while, by a key.
    ///
    /// ```swift
    /// let load = stack(
    ///     .memoise(by: \.id, timeToLive: .seconds(60)), .coalesce(by: \.id), over: loadProduct)
    /// ```
    ///
    /// A kept answer is returned at once, on the caller's thread; otherwise the service is called,
    /// in the caller's context, and an answer that the classifier assesses as a success is kept
    /// from its arrival on. Failures are not kept. Calls for one key that find no answer at the
    /// same time each call the service: ``coalesce(by:sharing:)-((Input)->Key,_)`` beneath lets
    /// them share one. If there are several answers, that of the call that began last is kept.
    ///
    /// Each service that this is put around has its own answers; for answers that several share, or
    /// that you invalidate, make a ``Memo``, which says how they expire and make room.
    ///
    /// - Parameters:
    ///   - key: What makes two inputs the same to the service, including all that an answer depends
    ///     on, such as who asks. Called once a call, on the caller's thread. What is not equal to
    ///     itself, such as a NaN, is like no key at all: the service is called.
    ///   - timeToLive: How long an answer is used. Zero or less is a programming error and traps.
    ///   - limit: How many are kept at most. Less than one is a programming error and traps.
    ///   - classifier: Decides which values are answers to be kept.
    ///   - scheduler: Whose time it is.
    public static func memoise<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, timeToLive: Duration, limit: Int = 100,
        classifier: Classifier<Output> = .standard, on scheduler: some Scheduler = .live
    ) -> Middleware {
        // Checks the arguments where they were written.
        _ = Memo<Key, Output>(timeToLive: timeToLive, limit: limit, on: scheduler)
        return Middleware(named: "memoise") { service in
            let memo = Memo<Key, Output>(timeToLive: timeToLive, limit: limit, on: scheduler)
            return { input in memo.call(key(input), service, input, classifier) }
        }
    }

    /// Keeps the answers in a memo that you hold, by a key.
    ///
    /// Otherwise as ``memoise(by:timeToLive:limit:classifier:on:)``. Stacks that share a memo must mean
    /// the same by a key.
    ///
    /// - Parameters:
    ///   - key: What makes two inputs the same to the service, including all that an answer depends
    ///     on, such as who asks. Called once a call, on the caller's thread. What is not equal to
    ///     itself, such as a NaN, is like no key at all: the service is called.
    ///   - memo: Where the answers are.
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
