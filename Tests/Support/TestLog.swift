import PledgeFutures

/// A log of events from any thread, in order of arrival.
package final class TestLog<Element: Sendable>: Sendable {
    private let list = Locked<[Element]>([])

    package init() {}

    package var elements: [Element] { list.withLock { $0 } }

    package func append(_ element: Element) { list.withLock { $0.append(element) } }
}
