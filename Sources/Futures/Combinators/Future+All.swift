extension Future {
    /// Waits for all futures to succeed.
    ///
    /// ```swift
    /// let products = Future.all([7, 8, 9].map(loadProduct))
    /// ```
    ///
    /// - Parameters:
    ///   - futures: The futures. An array of promises is accepted, without a copy of the array.
    ///   - others: What happens to the others at the first failure.
    /// - Returns: The values, in the order of the futures; an empty array without futures. At the first
    ///   failure it fails with the same error. It allocates one object for each input, and a constant number
    ///   more.
    @inlinable
    public static func all<Element, Input: Future<Element>>(
        _ futures: [Input], others: OtherInputs = .givenUp
    ) -> Future<[Element]> where Value == [Element] {
        if futures.isEmpty { return Future<[Element]>(value: []) }
        return Aggregate(count: futures.count, rule: .firstFailure, others: others) {
            $0.storage = $1.map { $0.value(of: Element.self) }
            return nil
        }
        .start(futures)
    }

    /// Waits for all futures of a sequence to succeed, as the method for an array does.
    @inlinable
    @_disfavoredOverload
    public static func all<Element>(
        _ futures: some Sequence<Future<Element>>, others: OtherInputs = .givenUp
    ) -> Future<[Element]> where Value == [Element] {
        all(Array(futures), others: others)
    }

    /// Waits for futures of different types to succeed: another name of ``zip(_:)``.
    @inlinable
    public static func all<each Element: Sendable>(
        _ futures: repeat Future<each Element>
    ) -> Future<(repeat each Element)> where Value == (repeat each Element) {
        zip(repeat each futures)
    }

    /// Waits for all futures to settle, whatever their results.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: The results, in the order of the futures; an empty array without futures. It never fails,
    ///   unless it is cancelled.
    @inlinable
    public static func allSettled<Element, Input: Future<Element>>(
        _ futures: [Input]
    ) -> Future<[Result<Element, any Error>]> where Value == [Result<Element, any Error>] {
        if futures.isEmpty { return Future<[Result<Element, any Error>]>(value: []) }
        return Aggregate(count: futures.count, rule: .never) {
            $0.storage = $1.map { $0.future(of: Element.self).settledResult }
            return nil
        }
        .start(futures)
    }
}

/// What happens to the inputs that `all` or `race` does not need any more.
public enum OtherInputs: Sendable {
    /// Their interest is given up: those without other waiters are cancelled.
    case givenUp
    /// They go on.
    case keptGoing
}
