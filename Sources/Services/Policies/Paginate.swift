import PledgeFutures

/// Creates a sequence of pages from a service that loads one page.
///
/// ```swift
/// let pages = paginate(loadPage, from: PageRequest(number: 1)) { page, request in
///     page.isLast ? nil : PageRequest(number: request.number + 1)
/// }
/// for try await page in pages { show(page.items) }
/// ```
///
/// While you use a page, the next one loads, and only that one: each page is requested when the one before it is
/// delivered. So after n delivered pages, at most n + 1 have been requested.
///
/// The service is called when you request the first page, not earlier. All calls run in the ``CallContext`` that is
/// current when the iteration starts, so that context's deadline applies to all of them. An error of the service or of
/// `next` ends the sequence, after the pages before it. Each iteration calls the service again.
///
/// If the loop ends early, by `break` or an error, the page that is loading is cancelled. If the task is cancelled
/// while it waits for a page, the wait ends at once with `CancellationError`, and that page is cancelled. If the task
/// is cancelled at another time, the sequence ends in the same way at the next request for a page. Other holders of a
/// page's future aren't affected.
///
/// A faulty server may always name a next page, or the same page again. So the number of pages is limited: one page
/// more than `maxPages` fails with ``ServiceError/Code/tooManyPages``.
///
/// - Parameters:
///   - service: Loads a page.
///   - first: The input for the first page.
///   - maxPages: The maximum number of pages; `.max` for an endless stream. Less than one is a programming error and
///     traps.
///   - next: Takes a page and its input, and returns the input for the next page. Nil ends the sequence, even if the
///     input type is an optional. Called once for each page, in the task that iterates.
/// - Returns: The pages, in order. Memory is constant: only the page that is loading ahead is kept.
public func paginate<Input: Sendable, Page: Sendable>(
    _ service: @escaping Service<Input, Page>, from first: Input, maxPages: Int = 10_000,
    next: @escaping @Sendable (_ page: Page, _ input: Input) throws -> Input?
) -> some AsyncSequence<Page, any Error> & Sendable {
    precondition(maxPages >= 1, "paginate needs maxPages of 1 or more, not \(maxPages)")
    return PageSequence(
        Pagination(service: service, first: first, maxPages: maxPages, next: next))
}

/// Creates a sequence of pages from an async function that loads one page.
///
/// Everything else is as in the `paginate` that takes a service.
@_disfavoredOverload
public func paginate<Input: Sendable, Page: Sendable>(
    _ load: @escaping @Sendable (Input) async throws -> Page, from first: Input,
    maxPages: Int = 10_000,
    next: @escaping @Sendable (_ page: Page, _ input: Input) throws -> Input?
) -> some AsyncSequence<Page, any Error> & Sendable {
    paginate(asFuture(load), from: first, maxPages: maxPages, next: next)
}

/// The pages that `paginate(_:from:maxPages:next:)` loads, in order.
///
/// Each iteration is independent, and starts with the first page.
struct PageSequence<Input: Sendable, Page: Sendable>: AsyncSequence, Sendable {
    /// A page.
    typealias Element = Page

    /// The error of the service or of `next`, a ``ServiceError/Code/tooManyPages``, or `CancellationError`.
    typealias Failure = any Error

    /// Begins an iteration, in the current ``CallContext``.
    ///
    /// No page is requested yet.
    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(PageReader(pagination, in: .current))
    }

    /// One iteration; like every iterator, it is for one task at a time.
    struct AsyncIterator: AsyncIteratorProtocol {
        /// Returns the next page; nil after the last page, and after an error.
        ///
        /// - Throws: The error that ended the sequence; `CancellationError` if the task is cancelled.
        mutating func next() async throws -> Page? { try await next(isolation: nil) }

        /// Returns the next page; nil after the last page, and after an error.
        ///
        /// - Throws: The error that ended the sequence; `CancellationError` if the task is cancelled.
        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> Page? {
            guard let future = try reader.takePage() else { return nil }
            return try reader.turn(await future.resultWhenSettled)
        }

        private let reader: PageReader<Input, Page>

        fileprivate init(_ reader: PageReader<Input, Page>) { self.reader = reader }
    }

    private let pagination: Pagination<Input, Page>

    init(_ pagination: Pagination<Input, Page>) { self.pagination = pagination }
}

@available(*, unavailable)
extension PageSequence.AsyncIterator: Sendable {}

/// The state shared by all iterations over the same pages.
struct Pagination<Input: Sendable, Page: Sendable>: Sendable {
    static var name: String { "paginate" }

    let service: Service<Input, Page>
    let first: Input
    let maxPages: Int
    let next: @Sendable (Page, Input) throws -> Input?

    /// Requests a page.
    ///
    /// - Returns: A separate future for the reader. Cancelling it doesn't settle the service's own future, which others
    ///   may hold too.
    func load(_ input: Input, number: Int, in context: CallContext) -> Future<Page> {
        let future = context.call(
            "page \(number)", attempt: context.attempt, record: context.record, by: Self.name,
            classifier: .standard, service, input)
        return future.result == nil ? future.mapWithoutOrigin { $0 } : future
    }
}

/// A reader of one iteration's pages, which loads one page ahead.
///
/// Only one task may use it at a time.
final class PageReader<Input: Sendable, Page: Sendable> {
    private enum State {
        /// No page was requested yet. Next: `ahead`, or `ended` if the task is cancelled.
        case initial
        /// The next page is loading, or loaded. Next: `ahead` with the following page, `failing` or `ended`.
        case ahead(Input, Future<Page>)
        /// An error follows the delivered page. Next: `ended`.
        case failing(any Error)
        /// No page follows. Final.
        case ended
    }

    private let pagination: Pagination<Input, Page>
    private let context: CallContext
    private var state = State.initial
    /// The number of delivered pages.
    private var pages = 0

    init(_ pagination: Pagination<Input, Page>, in context: CallContext) {
        self.pagination = pagination
        self.context = context
    }

    deinit { endReading() }

    /// Returns the future of the next page; nil if there is none.
    ///
    /// - Throws: The error that comes instead of a page; `CancellationError` if the task is cancelled.
    func takePage() throws -> Future<Page>? {
        if case .ended = state { return nil }
        guard !Task.isCancelled else {
            endReading()
            throw CancellationError()
        }
        switch state {
        case .ended: return nil
        case .failing(let error):
            endReading()
            throw error
        case .initial:
            load(pagination.first)
            return try takePage()
        case .ahead(_, let future): return future
        }
    }

    /// Delivers a page, and requests the next one.
    ///
    /// - Throws: The result's error.
    func turn(_ result: Result<Page, any Error>) throws -> Page {
        guard case .ahead(let input, _) = state, case .success(let page) = result else {
            endReading()
            return try result.get()
        }
        pages += 1
        do {
            guard let next = try pagination.next(page, input), !isNil(next) else {
                endReading()
                return page
            }
            if pages < pagination.maxPages {
                load(next)
            } else {
                var error = ServiceError(.tooManyPages, policy: Pagination<Input, Page>.name)
                error.pages = pages
                state = .failing(error)
            }
        } catch {
            state = .failing(error)
        }
        return page
    }

    private func load(_ input: Input) {
        state = .ahead(input, pagination.load(input, number: pages + 1, in: context))
    }

    /// Cancels the page that is loading.
    private func endReading() {
        if case .ahead(_, let future) = state { future.cancel() }
        state = .ended
    }
}

/// Returns whether an input is an optional that is nil.
///
/// If the input type is an optional, such as `Cursor?`, `next` may return the last page's cursor unchanged, which is
/// nil for the end. But Swift wraps this nil in a second optional, which then looks like an input.
private func isNil<Input>(_ input: Input) -> Bool {
    (input as? any AnyOptional)?.isNil ?? false
}

/// A type with a nil value.
private protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    fileprivate var isNil: Bool {
        if case .none = self { true } else { false }
    }
}
