import Pledge
import Testing

/// The combinators of futures as time lines.
@Suite struct MarblePictures {
    private func check(
        _ name: String, title: String, description: String, _ runs: [MarbleRun]
    ) throws {
        let picture = Picture(name, title: title, description: description)
        try MarblePicture(picture, runs).drawn().check()
    }

    @Test func transforming() throws {
        let map = MarbleRun("map { $0 * 2 }")
        let number = map.track("number", 0, map.value(7, after: 40))
        let doubled = map.track("result", 1, number.map { $0 * 2 })
        map.run(for: 40)

        let flatMap = MarbleRun("flatMap { product in loadReviews(product) }")
        let product = flatMap.track("product", 0, flatMap.value(7, after: 40))
        let reviews = flatMap.track(
            "result", 2,
            product.flatMap { _ in
                flatMap.track("reviews", 1, flatMap.value("fine", after: 60))
            })
        flatMap.run(for: 100)

        let recover = MarbleRun("recover { error in 0 }")
        let price = recover.track("price", 0, recover.failure(of: Int.self, after: 40))
        let shown = recover.track("result", 1, price.recover { _ in 0 })
        recover.run(for: 40)

        let other = MarbleRun("flatMapError { error in loadProduct(7) }")
        let cached = other.track("cached", 0, other.failure(of: Int.self, after: 20))
        let loaded = other.track(
            "result", 2,
            cached.flatMapError { _ in other.track("loaded", 1, other.value(7, after: 80)) })
        other.run(for: 100)

        #expect(try [doubled, shown, loaded].map { try $0.result?.get() } == [14, 0, 7])
        #expect(try reviews.result?.get() == "fine")
        try check(
            "marbles-transforming", title: "map, flatMap, recover and flatMapError",
            description: """
                Time lines. map: 7 at 40 ms becomes 14 at once. flatMap: the second future begins when the \
                first has settled, and the result settles with the second. recover: a failure \
                becomes a value at once. flatMapError: after a failure, a second future begins, and the result \
                settles with it.
                """, [map, flatMap, recover, other])
    }

    @Test func combining() throws {
        let zipped = MarbleRun("zip(a, b)")
        let pair = zipped.track(
            "result", 2,
            zip(
                zipped.track("a", 0, zipped.value(1, after: 30)),
                zipped.track("b", 1, zipped.value("x", after: 80))
            ).map { "\($0) \($1)" })
        zipped.run(for: 80)

        let all = MarbleRun("Future.all([a, b, c])")
        let values = all.track(
            "result", 3,
            Future.all([
                all.track("a", 0, all.value(1, after: 30)),
                all.track("b", 1, all.failure(after: 60)),
                all.track("c", 2, all.value(3, after: 100)),
            ]))
        all.run(for: 100)

        let any = MarbleRun("Future.any([a, b, c])")
        let success = any.track(
            "result", 3,
            Future.any([
                any.track("a", 0, any.failure(after: 30)),
                any.track("b", 1, any.value(2, after: 60)),
                any.track("c", 2, any.value(3, after: 100)),
            ]))
        any.run(for: 100)

        let race = MarbleRun("Future.race([a, b])")
        let first = race.track(
            "result", 2,
            Future.race([
                race.track("a", 0, race.failure(of: Int.self, after: 30)),
                race.track("b", 1, race.value(2, after: 60)),
            ]))
        race.run(for: 100)

        #expect(try pair.result?.get() == "1 x" && success.result?.get() == 2)
        #expect(throws: MarbleRun.Broken.self) { try values.result?.get() }
        #expect(throws: MarbleRun.Broken.self) { try first.result?.get() }
        try check(
            "marbles-combining", title: "zip, all, any and race",
            description: """
                Time lines. zip settles with the last input, at 80 ms. all fails with the failure of b at 60 ms, and c \
                is cancelled then. any ignores the failure of a, settles with b at 60 ms, and c is cancelled. race \
                settles with the first result, the failure of a at 30 ms, and b is cancelled.
                """, [zipped, all, any, race])
    }
}
