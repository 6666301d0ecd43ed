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
    public static func all<Element, Input: Future<Element>>(
        _ futures: [Input], others: OtherInputs = .givenUp
    ) -> Future<[Element]> where Value == [Element] {
        if futures.isEmpty { return Future<[Element]>(value: []) }
        return All<Element>(count: futures.count, rule: .firstFailure, others: others)
            .start(futures)
    }

    /// Waits for all futures of a sequence to succeed, as the method for an array does.
    @_disfavoredOverload
    public static func all<Element>(
        _ futures: some Sequence<Future<Element>>, others: OtherInputs = .givenUp
    ) -> Future<[Element]> where Value == [Element] {
        all(Array(futures), others: others)
    }

    /// Waits for all futures to settle, whatever their results.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: The results, in the order of the futures; an empty array without futures. It never fails,
    ///   unless it is cancelled.
    public static func allSettled<Element, Input: Future<Element>>(
        _ futures: [Input]
    ) -> Future<[Result<Element, any Error>]> where Value == [Result<Element, any Error>] {
        if futures.isEmpty { return Future<[Result<Element, any Error>]>(value: []) }
        return AllSettled<Element>(count: futures.count, rule: .never).start(futures)
    }
}

/// What happens to the inputs that `all` or `race` does not need any more.
public enum OtherInputs: Sendable {
    /// Their interest is given up: those without other waiters are cancelled.
    case givenUp
    /// They go on.
    case keptGoing
}

private final class All<Element: Sendable>: Aggregate<[Element]>, @unchecked Sendable {
    override func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
        storage = inputs.collected { input, place in
            place.initialize(to: input.value(of: Element.self))
        }
        return nil
    }
}

private final class AllSettled<Element: Sendable>: Aggregate<[Result<Element, any Error>]>,
    @unchecked Sendable
{
    override func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
        storage = inputs.collected { input, place in
            place.initialize(to: input.future(of: Element.self).settledResult)
        }
        return nil
    }
}

extension [AggregateInput] {
    /// An array with an element of each input.
    ///
    /// As `map`, which allocates memory for each element where it does not know its size.
    fileprivate func collected<Value>(
        _ initialize: (AggregateInput, UnsafeMutablePointer<Value>) -> Void
    ) -> [Value] {
        if isEmpty { return [] }
        return [Value](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            var place = buffer.baseAddress.unsafelyUnwrapped
            for input in self {
                initialize(input, place)
                place += 1
            }
            initializedCount = count
        }
    }
}
