import PledgeFutures

/// The pages that `paginate(_:from:maxPages:next:)` loads, in order.
///
/// Each iteration is independent of the others, and begins with the first page.
public struct PageSequence<Input: Sendable, Page: Sendable>: AsyncSequence {
    /// A page.
    public typealias Element = Page

    /// The service's error, or that of `next`; a ``PaginationError``; `CancellationError`.
    public typealias Failure = any Error

    /// Begins an iteration, in the current ``CallContext``.
    ///
    /// Nothing is loaded yet.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(PageReader(pagination, in: .current))
    }

    /// One iteration: it is used by one task at a time, as every iterator.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The next page; nil after the last one and after an error.
        ///
        /// - Throws: The error that ended the sequence; `CancellationError` if the task is cancelled.
        public mutating func next() async throws -> Page? { try await next(isolation: nil) }

        /// The next page; nil after the last one and after an error.
        ///
        /// - Throws: The error that ended the sequence; `CancellationError` if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> Page? {
            guard let future = try reader.take() else { return nil }
            return try reader.turn(await future.resultWhenSettled)
        }

        private let reader: PageReader<Input, Page>

        fileprivate init(_ reader: PageReader<Input, Page>) { self.reader = reader }
    }

    private let pagination: Pagination<Input, Page>

    init(_ pagination: Pagination<Input, Page>) { self.pagination = pagination }
}

extension PageSequence: Sendable {}

@available(*, unavailable, message: "an iteration belongs to one task; begin another")
extension PageSequence.AsyncIterator: Sendable {}
