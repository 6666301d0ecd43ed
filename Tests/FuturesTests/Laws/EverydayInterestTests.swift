import PledgeFutures
import TestSupport
import Testing

/// Five everyday programs, each as it is and with `shielded()`; see
/// Docs/Decisions/why-a-future-stops-when-its-last-consumer-leaves.md.
@Suite(.oneAtATime) struct EverydayInterestTests {
    /// A server that notes which calls were stopped.
    private final class Server: Sendable {
        let stopped = TestLog<String>()
        private let calls = Locked<[String: Promise<String>]>([:])

        func load(_ name: String) -> Future<String> {
            let promise = Promise<String>()
            promise.onCancel { [stopped] in stopped.append(name) }
            calls.withLock { $0[name] = promise }
            return promise.map { $0 }
        }

        @discardableResult
        func answer(_ name: String) -> Bool {
            calls.withLock { $0[name] }?.resolve(with: name) ?? false
        }

        func fail(_ name: String) { calls.withLock { $0[name] }?.reject(with: TestError()) }
    }

    private let server = Server()

    private func stored(_ name: String, _ isShielded: Bool) -> Future<String> {
        isShielded ? server.load(name).shielded() : server.load(name)
    }

    @Test(arguments: [false, true]) func aSearchIsReplaced(isShielded: Bool) {
        stored("sw", isShielded).observation { _ in }.cancel()
        stored("swift", isShielded).observation { _ in }.kept()
        #expect(server.stopped.elements == (isShielded ? [] : ["sw"]))
        #expect(server.answer("swift"))
    }

    @Test(arguments: [false, true]) func aCallIsLateAndHasAFallback(isShielded: Bool) {
        let scheduler = ManualScheduler()
        let shown = stored("rates", isShielded).timeout(.seconds(1), on: scheduler)
            .recover { _ in "yesterday's" }
        scheduler.advance(by: .seconds(1))
        #expect(shown.valueNow == "yesterday's")
        #expect(server.stopped.elements == (isShielded ? [] : ["rates"]))
    }

    @Test(arguments: [false, true]) func onePartOfAPageFails(isShielded: Bool) {
        let page = Future.all(["head", "list", "foot"].map { stored($0, isShielded) })
        server.fail("list")
        #expect(page.errorNow is TestError)
        #expect(server.stopped.elements.sorted() == (isShielded ? [] : ["foot", "head"]))
    }

    @Test(arguments: [false, true]) func rowsComeAndGoOverATableOfImages(isShielded: Bool) {
        let images = ["7": stored("7", isShielded)]
        images["7"]?.observation { _ in }.cancel()
        let row = images["7"]?.map { $0 }
        server.answer("7")
        #expect(row?.valueNow == (isShielded ? "7" : nil))
        #expect(row?.isCancelled == !isShielded)
    }

    @Test(arguments: [false, true]) func aScreenOpensTwiceOverAPrefetchedPage(isShielded: Bool) {
        let prefetched = stored("page 2", isShielded)
        let first = prefetched.map(\.count)
        first.cancel()
        server.answer("page 2")
        let second = prefetched.map(\.count)
        #expect(second.valueNow == (isShielded ? 6 : nil))
        #expect(second.isCancelled == !isShielded)
    }
}
