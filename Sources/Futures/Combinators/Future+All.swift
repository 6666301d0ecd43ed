extension Future {
    /// Waits for all futures to succeed.
    ///
    /// ```swift
    /// let products = Future.all([7, 8, 9].map(loadProduct))
    /// ```
    ///
    /// - Parameter futures: The futures. Promises will do, without a copy of the array.
    /// - Returns: The values, in the order of the futures; of none, an empty array. At the first
    ///   failure it fails likewise, and gives up the others. One object an input, and a constant.
    @inlinable
    public static func all<Element, Input: Future<Element>>(
        _ futures: [Input]
    ) -> Future<[Element]> where Value == [Element] {
        if futures.isEmpty { return Future<[Element]>(value: []) }
        let aggregate = Aggregate<[Element]>(count: futures.count, rule: .firstFailure) {
            $0.storage = $1.map { $0.value(of: Element.self) }
            return nil
        }
        aggregate.start(futures)
        return aggregate
    }

    /// Waits for all futures to settle, whatever their results.
    ///
    /// - Parameter futures: The futures.
    /// - Returns: The results, in the order of the futures; of none, an empty array. It never fails,
    ///   unless it is cancelled.
    @inlinable
    public static func allSettled<Element, Input: Future<Element>>(
        _ futures: [Input]
    ) -> Future<[Result<Element, any Error>]> where Value == [Result<Element, any Error>] {
        if futures.isEmpty { return Future<[Result<Element, any Error>]>(value: []) }
        let aggregate = Aggregate<[Result<Element, any Error>]>(
            count: futures.count, rule: .never
        ) {
            $0.storage = $1.map { $0.result(of: Element.self) }
            return nil
        }
        aggregate.start(futures)
        return aggregate
    }
}
