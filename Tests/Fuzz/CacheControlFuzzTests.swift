import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPCaching

@Suite(.oneAtATime) struct CacheControlFuzzTests {
    private func inputs(_ seed: UInt64) throws -> Mutator {
        Mutator(
            corpus: try corpus(named: "cache-control"),
            words: ["no-store", "no-cache", "max-age", "private", "max-age=60", "\"no-store\""],
            delimiters: ",=\" ;", seed: seed)
    }

    @Test func secondsAreWithinTheirBounds() throws {
        var inputs = try inputs(5)
        var found = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            let control = CacheControl(["Cache-Control": text])
            for name in ["max-age", "s-maxage", "min-fresh", "max-stale", "stale-if-error"] {
                let permitted = control.permitted(name)
                let demanded = control.demanded(name)
                #expect((permitted == nil) == !control.contains(name), "\(text.debugDescription)")
                #expect((permitted ?? 0) <= (demanded ?? 0), "\(text.debugDescription)")
                #expect(0...DeltaSeconds.most ~= permitted ?? 0, "\(text.debugDescription)")
                if permitted != nil { found += 1 }
            }
        }
        #expect(found > fuzzInputCount() / 20)
    }

    /// Whatever stands in one line, it hides nothing of another.
    @Test func anotherLineCountsWhateverStandsBeforeIt() throws {
        var inputs = try inputs(6)
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            var headers: HTTPHeaders = ["Cache-Control": text]
            headers.add("no-store, max-age=7", for: "cache-control")
            let control = CacheControl(headers)
            #expect(control.contains("no-store"), "\(text.debugDescription)")
            #expect((control.permitted("max-age") ?? .max) <= 7, "\(text.debugDescription)")
        }
    }
}
