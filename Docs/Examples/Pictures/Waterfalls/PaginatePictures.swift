import Pledge
import PledgeObservation
import TestSupport
import Testing

/// The right and the wrong way to show pages.
@Suite(.oneAtATime) struct PaginatePictures {
    private typealias Step = Service<Int, Int>

    private let run = PolicyRun()
    private let steps: AsyncStream<Void>
    private let didStep: AsyncStream<Void>.Continuation

    init() { (steps, didStep) = AsyncStream.makeStream() }

    /// A service that takes a while, and tells when a call has begun.
    private func step(after milliseconds: Int) -> Step {
        let (scheduler, didStep) = (run.scheduler, didStep)
        return { number in
            defer { didStep.yield() }
            return Future(value: number).delay(.milliseconds(milliseconds), on: scheduler)
        }
    }

    /// Three pages of 50 ms.
    private var pages: some AsyncSequence<Int, any Error> & Sendable {
        paginate(step(after: 50), from: 1) { _, number in number < 3 ? number + 1 : nil }
    }

    /// Shows a page, or several, within 30 ms.
    private var show: Step {
        stack(.observed(named: { "show \($0)" }), over: step(after: 30))
    }

    /// Lets time pass whenever as many steps as are expected have begun, or have been shown.
    ///
    /// Time never passes an instant at which a step ends, so that its end is seen at that instant.
    private func panel(
        _ heading: String, _ screen: @escaping Step, _ expected: [(steps: Int, wait: Int)]
    ) async throws -> WaterfallPicture.Panel {
        let scheduler = run.scheduler
        let load = stack(
            .observed(by: run.recorder.observer, on: scheduler, named: { _ in "screen" }),
            over: screen)
        let shown = load(0)
        var begun = steps.makeAsyncIterator()
        for (count, wait) in expected {
            for _ in 1...count { await begun.next() }
            scheduler.advance(by: .milliseconds(wait))
        }
        _ = try await shown.value
        return WaterfallPicture.Panel(heading: heading, trace: try CallTrace(of: run.recorder))
    }

    private func eachAsItComes() async throws -> WaterfallPicture.Panel {
        let (pages, show, didShow) = (pages, show, didStep)
        return try await panel(
            "right: each page is shown as it comes",
            { _ in
                Future {
                    for try await page in pages {
                        _ = try await show(page).value
                        didShow.yield()
                    }
                    return 3
                }
            }, [(1, 50), (2, 30), (1, 20), (2, 30), (1, 20), (1, 30)])
    }

    private func allAtTheEnd() async throws -> WaterfallPicture.Panel {
        let (pages, show) = (pages, show)
        return try await panel(
            "wrong: all pages are collected before the first is shown",
            { _ in
                Future {
                    var count = 0
                    for try await _ in pages { count += 1 }
                    return try await show(count).value
                }
            }, [(1, 50), (1, 50), (1, 50), (1, 30)])
    }

    @Test func pagination() async throws {
        try Picture.comparing(
            "paginate", title: "Pages that are shown as they come, and at the end",
            description: """
                Three pages of 50 ms. If each is shown as it comes, the first is seen after 80 ms, while the second is \
                being loaded. If all are collected first, nothing is seen before 180 ms.
                """,
            [
                try await PaginatePictures().eachAsItComes(),
                try await PaginatePictures().allAtTheEnd(),
            ])
    }
}
