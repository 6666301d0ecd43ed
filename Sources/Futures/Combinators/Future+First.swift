extension Future {
    /// Waits for the first future to succeed.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Returns: The first value. The other futures are then given up. If all fail, it fails with
    ///   ``FutureError/Code/allFailed``, whose `causes` are in the order of the futures. Without futures, it
    ///   fails with ``FutureError/Code/noInputs``.
    public static func any<Input: Future<Value>>(
        _ futures: [Input], fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        first(of: futures, .firstSuccess, .givenUp, CodeLocation(fileID: fileID, line: line))
    }

    /// Waits for the first future to settle.
    ///
    /// - Parameters:
    ///   - futures: The futures.
    ///   - others: What happens to the others then.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Returns: The first result, success or failure. If several have settled already, the result of the
    ///   first of them in the array. Without futures, it fails with ``FutureError/Code/noInputs`` instead of
    ///   waiting forever.
    public static func race<Input: Future<Value>>(
        _ futures: [Input], others: OtherInputs = .givenUp, fileID: StaticString = #fileID,
        line: UInt = #line
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
