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
    var nodes: [FutureNode] = []
    for future in repeat each futures { nodes.append(future) }
    if nodes.isEmpty {
        return Future<(repeat each Value)>(value: (repeat (each futures).settledValue))
    }
    let aggregate = Aggregate<(repeat each Value)>(
        count: nodes.count, rule: .firstFailure
    ) { inputs in
        var rest = inputs.makeIterator()
        return .success((repeat next(&rest, of: (each Value).self)))
    }
    aggregate.start(nodes)
    return aggregate
}

/// Takes the next input's value.
private func next<Value: Sendable>(
    _ inputs: inout IndexingIterator<[InputWaiter]>, of type: Value.Type
) -> Value {
    guard let input = inputs.next() else { preconditionFailure("an input for each type") }
    return input.value(of: type)
}

extension Future {
    fileprivate final var settledValue: Value { storage.unsafelyUnwrapped }
}
