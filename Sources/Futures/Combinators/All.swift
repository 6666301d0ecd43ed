internal import Dispatch

extension Future {
    /// Waits for all futures to succeed.
    ///
    /// ```swift
    /// let products = Future.all([7, 8, 9].map(loadProduct))
    /// ```
    ///
    /// - Parameter futures: The futures. You can pass an array of promises, which isn't copied.
    /// - Returns: The values, in the order of the futures; an empty array if there are none. At the first failure, the
    ///   returned future fails with the same error. `all` allocates one object for each input, and a constant number of
    ///   other objects.
    public static func all<Element, Input: Future<Element>>(
        _ futures: [Input]
    ) -> Future<[Element]> where Value == [Element] {
        all(futures, others: .givenUp)
    }

    /// Waits for all futures to succeed; `others` says what happens to the other futures at the first failure.
    package static func all<Element, Input: Future<Element>>(
        _ futures: [Input], others: OtherInputs
    ) -> Future<[Element]> where Value == [Element] {
        if futures.isEmpty { return Future<[Element]>(value: []) }
        return All<Element>(count: futures.count, rule: .firstFailure, others: others)
            .start(futures)
    }

    /// Waits for all futures of a sequence to succeed, like the method for an array.
    @_disfavoredOverload
    public static func all<Element>(
        _ futures: some Sequence<Future<Element>>
    ) -> Future<[Element]> where Value == [Element] {
        all(Array(futures), others: .givenUp)
    }

    /// Waits for all futures to settle, with a value or an error.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: The results, in the order of the futures; an empty array if there are none. The returned future never
    ///   fails, unless you cancel it.
    public static func allSettled<Element, Input: Future<Element>>(
        _ futures: [Input]
    ) -> Future<[Result<Element, any Error>]> where Value == [Result<Element, any Error>] {
        if futures.isEmpty { return Future<[Result<Element, any Error>]>(value: []) }
        return AllSettled<Element>(count: futures.count, rule: .never).start(futures)
    }

    /// Waits for the first future to succeed.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Returns: The first value. If several futures have already succeeded, you get the value of the one that comes
    ///   first in the array. The other futures are then given up. If all fail, the returned future fails with
    ///   ``FutureError/Code/allFailed``, whose `causes` are in the order of the futures. If there are no futures, the
    ///   returned future fails with ``FutureError/Code/noInputs``.
    public static func any<Input: Future<Value>>(
        _ futures: [Input], fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        first(of: futures, .firstSuccess, .givenUp, CodeLocation(fileID: fileID, line: line))
    }

    /// Waits for the first future to settle.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Returns: The first result, success or failure. If several futures have already settled, you get the result of
    ///   the one that comes first in the array. If there are no futures, the returned future fails with
    ///   ``FutureError/Code/noInputs`` instead of waiting forever. The other futures are then given up; to let them go on,
    ///   pass ``shielded()`` futures.
    public static func race<Input: Future<Value>>(
        _ futures: [Input], fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        first(of: futures, .first, .givenUp, CodeLocation(fileID: fileID, line: line))
    }

    /// Waits for the first future to settle; `others` says what happens to the other futures then.
    package static func race<Input: Future<Value>>(
        _ futures: [Input], others: OtherInputs, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        first(of: futures, .first, others, CodeLocation(fileID: fileID, line: line))
    }

    private static func first<Input: Future<Value>>(
        of futures: [Input], _ rule: Aggregate<Value>.Rule, _ others: OtherInputs,
        _ location: CodeLocation
    ) -> Future<Value> {
        if futures.isEmpty { return Future(error: FutureError(.noInputs, at: location)) }
        return First(count: futures.count, rule: rule, others: others, at: location).start(futures)
    }

    /// The results of several futures, in the order in which they settle.
    ///
    /// ```swift
    /// for await result in Future.asCompleted([7, 8, 9].map(loadProduct)) { show(result) }
    /// ```
    ///
    /// - Parameter futures: The futures.
    /// - Returns: A sequence with one result for each future. If the loop over the sequence ends early, the sequence
    ///   gives up its interest in the pending futures, on another thread.
    public static func asCompleted<Input: Future<Value>>(
        _ futures: [Input]
    ) -> AsyncStream<Result<Value, any Error>> {
        AsyncStream { continuation in
            let left = Locked(futures.count)
            if futures.isEmpty { continuation.finish() }
            let observations = futures.map { future in
                future.observed { settled in
                    continuation.yield(settled.settledResult)
                    left.withLock { $0 -= 1 }
                    if left.withLock({ $0 == 0 }) { continuation.finish() }
                }
            }
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                // An abort may run other code, and the runtime may hold a lock of the cancelled task here. So the
                // aborts happen on another thread.
                DispatchQueue.global().async { observations.forEach { $0.abort(with: .cancelled) } }
            }
        }
    }
}

/// Waits for futures of different types to succeed.
///
/// ```swift
/// zip(loadUser(7), loadSettings()).observe { result in … }
/// ```
///
/// It is a free function, like Swift's own `zip`. A method with that name would hide Swift's `zip` in extensions of
/// ``Future``.
///
/// - Parameter futures: The futures, any number of them.
/// - Returns: The values as a tuple. At the first failure, the returned future fails with the same error, and gives up
///   the other futures.
public func zip<each Value: Sendable>(
    _ futures: repeat Future<each Value>
) -> Future<(repeat each Value)> {
    var count = 0
    for _ in repeat each futures { count += 1 }
    if count == 0 {
        return Future<(repeat each Value)>(value: (repeat (each futures).storage.unsafelyUnwrapped))
    }
    let aggregate = Zip<repeat each Value>(count: count, rule: .firstFailure)
    var inputs: [AggregateInput] = []
    inputs.reserveCapacity(count)
    for future in repeat each futures { aggregate.enroll(on: future, &inputs) }
    aggregate.handOver(&inputs)
    return aggregate
}

/// The fate of the inputs that `all` or `race` no longer needs.
package enum OtherInputs: Sendable {
    /// The combined future gives up its interest in these inputs; an input without other waiters is cancelled.
    case givenUp
    /// These inputs keep running, as if the combined future still waited for them. It leaves nothing in their memory.
    case keptGoing
}

// MARK: - The aggregates

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
    /// Makes an array with one element for each input.
    ///
    /// `map` does the same. But if the compiler doesn't know the size of an element, `map` allocates memory for each
    /// element.
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

private final class First<Value: Sendable>: Aggregate<Value>, @unchecked Sendable {
    private let location: CodeLocation

    init(count: Int, rule: Rule, others: OtherInputs, at location: CodeLocation) {
        self.location = location
        super.init(count: count, rule: rule, others: others)
    }

    override func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
        FutureError(
            .allFailed, at: location, causes: inputs.compactMap { $0.source?.failure?.error })
    }
}

private final class Zip<each Element: Sendable>: Aggregate<(repeat each Element)>,
    @unchecked Sendable
{
    override func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
        var rest = inputs.makeIterator()
        storage = (repeat next(&rest, of: (each Element).self))
        return nil
    }

    private func next<Value: Sendable>(
        _ inputs: inout IndexingIterator<[AggregateInput]>, of type: Value.Type
    ) -> Value {
        guard let input = inputs.next() else { preconditionFailure("an input for each type") }
        return input.value(of: type)
    }
}
