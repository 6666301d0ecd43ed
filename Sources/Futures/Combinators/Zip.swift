/// Waits for futures of different types to succeed.
///
/// ```swift
/// zip(loadUser(7), loadSettings()).observe { result in … }
/// ```
///
/// A free function, like Swift's own `zip`: a method of that name would hide the latter in
/// extensions of ``Future``.
///
/// - Parameter futures: The futures, any number of them.
/// - Returns: The values as a tuple. At the first failure it fails likewise, and gives up the others.
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
