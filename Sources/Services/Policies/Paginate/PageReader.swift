import PledgeFutures

/// The state that all iterations over the same pages share.
struct Pagination<Input: Sendable, Page: Sendable>: Sendable {
    static var name: String { "paginate" }

    let service: Service<Input, Page>
    let first: Input
    let maxPages: Int
    let next: @Sendable (Page, Input) throws -> Input?

    /// Asks for a page.
    ///
    /// - Returns: A separate future of the reader: cancelling it gives up the reader's interest, and does not
    ///   settle a promise that the service shares with others.
    func load(_ input: Input, number: Int, in context: CallContext) -> Future<Page> {
        let future = context.call(
            "page \(number)", attempt: context.attempt, record: context.record, by: Self.name,
            classifier: .standard, service, input)
        return future.result == nil ? future.mapWithoutOrigin { $0 } : future
    }
}

/// Reads the pages of one iteration, one ahead of the delivered pages.
///
/// Used by one task at a time.
final class PageReader<Input: Sendable, Page: Sendable> {
    private enum State {
        /// No page was requested. Next: ahead, or ended if the task is cancelled.
        case initial
        /// A page is being loaded, or is loaded. Next: ahead by the page after it, failing, or ended.
        case ahead(Input, Future<Page>)
        /// An error follows the delivered page. Next: ended.
        case failing(any Error)
        /// No page follows. Final.
        case ended
    }

    private let pagination: Pagination<Input, Page>
    private let context: CallContext
    private var state = State.initial
    /// How many pages were delivered.
    private var pages = 0

    init(_ pagination: Pagination<Input, Page>, in context: CallContext) {
        self.pagination = pagination
        self.context = context
    }

    deinit { end() }

    /// The future of the next page; nil if there is none.
    ///
    /// - Throws: The error, if there is one instead; `CancellationError` if the task is cancelled.
    func take() throws -> Future<Page>? {
        if case .ended = state { return nil }
        guard !Task.isCancelled else {
            end()
            throw CancellationError()
        }
        switch state {
        case .ended: return nil
        case .failing(let error):
            end()
            throw error
        case .initial:
            load(pagination.first)
            return try take()
        case .ahead(_, let future): return future
        }
    }

    /// Delivers a page, and requests the next one.
    ///
    /// - Throws: The error if there is no page.
    func turn(_ result: Result<Page, any Error>) throws -> Page {
        guard case .ahead(let input, _) = state, case .success(let page) = result else {
            end()
            return try result.get()
        }
        pages += 1
        do {
            guard let next = try pagination.next(page, input), !isNil(next) else {
                end()
                return page
            }
            if pages < pagination.maxPages {
                load(next)
            } else {
                state = .failing(PaginationError(.tooManyPages, pages: pages))
            }
        } catch {
            state = .failing(error)
        }
        return page
    }

    private func load(_ input: Input) {
        state = .ahead(input, pagination.load(input, number: pages + 1, in: context))
    }

    /// Gives up the page that is ahead.
    private func end() {
        if case .ahead(_, let future) = state { future.cancel() }
        state = .ended
    }
}

/// Whether an input itself is nil.
///
/// If the first page is requested with nil, a closure that returns a page's cursor unchanged means the end by
/// nil, but Swift wraps this nil as an input.
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
