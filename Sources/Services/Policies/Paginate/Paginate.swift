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
/// The first call is made when the first page is asked for; every call is made in the
/// ``CallContext`` in which the iteration began, so a deadline there is the deadline of them all. An
/// error, of the service or of `next`, ends the sequence after the pages before it. Each iteration calls
/// the service anew.
///
/// When the iteration ends early, by `break` or an error of its body, the page that is being loaded is
/// given up. When its task is cancelled, a wait for a page ends at once with `CancellationError`, and
/// that page is given up; while no page is waited for, that happens as the next is asked for. Others
/// who share a page's future with the iteration keep it.
///
/// A server that always names another page, or the same one again, would be asked without end. So
/// there is a greatest number of pages: the one after those fails with ``PaginationError`` if there
/// should be one.
///
/// - Parameters:
///   - service: Loads a page.
///   - first: What the first page is loaded with.
///   - maxPages: How many pages there may be; `.max` for a stream that has no end. Less than one is a
///     programming error and traps.
///   - next: Given a page and what it was loaded with, says what the page after it is loaded with; nil
///     after the last page, also where the input itself is an optional. Called once a page, in the task
///     that iterates.
/// - Returns: The pages, in order. Constant memory: the page that is ahead is the only one kept.
public func paginate<Input: Sendable, Page: Sendable>(
    _ service: @escaping Service<Input, Page>, from first: Input, maxPages: Int = 10_000,
    next: @escaping @Sendable (_ page: Page, _ input: Input) throws -> Input?
) -> Pages<Input, Page> {
    precondition(maxPages >= 1, "paginate needs maxPages of 1 or more, not \(maxPages)")
    return Pages(
        Pagination(service: service, first: first, maxPages: maxPages, next: next))
}
