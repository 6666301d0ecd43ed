// snippet: imports
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Chaos.md.
@Suite struct ChaosExamples {
    private static let load: Service<Int, String> = { id in Future(value: "Product \(id)") }

    @Test func usage() async throws {
        // snippet: usage
        let load: Service<Int, String> = { id in Future(value: "Product \(id)") }
        let chaos = ChaosSwitch(isOn: false)
        let api = stack(
            .retry(),
            .chaos(
                .latency(.milliseconds(100) ... .seconds(2), probability: 0.1),
                .failure(probability: 0.05),
                sharing: chaos),
            over: load)

        chaos.isOn = true  // a debug menu's switch
        // end snippet
        chaos.isOn = false
        #expect(try await api(7).value == "Product 7")
    }

    @Test func seeded() async throws {
        let load = Self.load
        // snippet: seeded
        let scheduler = ManualScheduler()
        let api = stack(
            .chaos(
                .failure(probability: 0.5), on: scheduler,
                random: RandomSource(Dice(seed: 7))),
            over: load)
        let ends = (1...6).map { id in (try? api(id).result?.get()) ?? "failed" }
        // end snippet
        let again = stack(
            .chaos(
                .failure(probability: 0.5), on: scheduler,
                random: RandomSource(Dice(seed: 7))),
            over: load)
        #expect(ends == (1...6).map { id in (try? again(id).result?.get()) ?? "failed" })
        #expect(ends.contains("failed"))
        #expect(ends.contains { $0.hasPrefix("Product") })
    }

    @Test func altered() async throws {
        // snippet: outcome
        let loadPage: Service<Int, [Int]> = { page in Future(value: [page, page + 1]) }
        let api = stack(
            .chaos(.outcome(probability: 1) { result in Array(try result.get().prefix(1)) }),
            over: loadPage)
        // end snippet
        #expect(try await api(3).value == [3])
    }
}

// snippet: dice
/// Numbers that are the same for the same seed: a linear congruential generator (Knuth's MMIX).
struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
// end snippet
