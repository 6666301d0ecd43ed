import Pledge
import Testing

/// The transforms of futures, as time lines.
@Suite struct MarblePictures {
    private func map() throws -> MarbleRun {
        let run = MarbleRun("map { $0 * 2 }")
        let number = run.track("number", 0, run.value(7, after: 40))
        let doubled = run.track("result", 1, number.map { $0 * 2 })
        run.run(for: 40)
        #expect(try doubled.result?.get() == 14)
        return run
    }

    private func flatMap() throws -> MarbleRun {
        let run = MarbleRun("flatMap { product in loadReviews(product) }")
        let product = run.track("product", 0, run.value(7, after: 40))
        let reviews = run.track(
            "result", 2,
            product.flatMap { _ in run.track("reviews", 1, run.value("fine", after: 60)) })
        run.run(for: 100)
        #expect(try reviews.result?.get() == "fine")
        return run
    }

    private func recover() throws -> MarbleRun {
        let run = MarbleRun("recover { error in 0 }")
        let price = run.track("price", 0, run.failure(of: Int.self, after: 40))
        let shown = run.track("result", 1, price.recover { _ in 0 })
        run.run(for: 40)
        #expect(try shown.result?.get() == 0)
        return run
    }

    private func flatMapError() throws -> MarbleRun {
        let run = MarbleRun("flatMapError { error in loadProduct(7) }")
        let cached = run.track("cached", 0, run.failure(of: Int.self, after: 20))
        let loaded = run.track(
            "result", 2,
            cached.flatMapError { _ in run.track("loaded", 1, run.value(7, after: 80)) })
        run.run(for: 100)
        #expect(try loaded.result?.get() == 7)
        return run
    }

    @Test func transforming() throws {
        let picture = Picture(
            "marbles-transforming", title: "map, flatMap, recover and flatMapError",
            description: """
                Time lines. map: 7 at 40 ms becomes 14 at once. flatMap: the second future begins when the \
                first has settled, and the result settles with the second. recover: a failure \
                becomes a value at once. flatMapError: after a failure, a second future begins, and the result \
                settles with it.
                """)
        let runs = [try map(), try flatMap(), try recover(), try flatMapError()]
        try MarblePicture(picture, runs).drawn().check()
    }
}
