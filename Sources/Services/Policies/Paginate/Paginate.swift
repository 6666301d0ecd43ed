import PledgeFutures

/// Makes a sequence of pages from a service that loads one.
///
/// ```swift
/// let pages = paginate(loadPage, from: PageRequest(number: 1)) { page, request in
///     page.isLast ? nil : PageRequest(number: request.number + 1)
/// }
/// for try await page in pages { show(page.items) }
/// ```
///
/// While the reader uses a page, the next page loads, and no other: each page is requested when the
/// one before it is delivered. So after n delivered pages, at most n + 1 have been requested.
///
/// The first call is made when the first page is requested; every call is made in the
/// ``CallContext`` in which the iteration began, so its deadline applies to all calls. An
/// error, of the service or of `next`, ends the sequence after the pages before it. Each iteration calls the
/// service again.
///
/// When the iteration ends early, by `break` or an error of its body, the page that is being loaded is
/// given up. When its task is cancelled, a wait for a page ends at once with `CancellationError`, and
/// that page is given up; while no page is awaited, that happens when the next is requested. Other holders of
/// a page's future are not affected.
///
/// A server that always names another page, or the same one again, would be called without end. So the number
/// of pages is limited: a further page fails with ``PaginationError``.
///
/// - Parameters:
///   - service: Loads a page.
///   - first: The input of the first page.
///   - maxPages: The largest number of pages; `.max` for a stream without an end. Less than one is a
///     programming error and traps.
///   - next: Takes a page and its input, and returns the input of the next page; nil after the last page,
///     also if the input itself is an optional. Called once for each page, in the task that iterates.
/// - Returns: The pages, in order. Constant memory: only the page that is ahead is kept.
public func paginate<Input: Sendable, Page: Sendable>(
    _ service: @escaping Service<Input, Page>, from first: Input, maxPages: Int = 10_000,
    next: @escaping @Sendable (_ page: Page, _ input: Input) throws -> Input?
) -> PageSequence<Input, Page> {
    precondition(maxPages >= 1, "paginate needs maxPages of 1 or more, not \(maxPages)")
    return PageSequence(
        Pagination(service: service, first: first, maxPages: maxPages, next: next))
}

/// Makes a sequence of pages from an async function that loads one; see the other `paginate`.
@_disfavoredOverload
public func paginate<Input: Sendable, Page: Sendable>(
    _ load: @escaping @Sendable (Input) async throws -> Page, from first: Input,
    maxPages: Int = 10_000,
    next: @escaping @Sendable (_ page: Page, _ input: Input) throws -> Input?
) -> PageSequence<Input, Page> {
    paginate(asFuture(load), from: first, maxPages: maxPages, next: next)
}
