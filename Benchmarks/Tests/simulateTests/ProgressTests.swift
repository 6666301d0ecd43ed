import Testing

@testable import simulate

@Suite struct ProgressTests {
    @Test func theLineShowsThePartAndTheTimeLeft() {
        #expect(Progress.line(0, after: 5) == "[····················] 0 %")
        #expect(Progress.line(0.25, after: 0.5) == "[#####···············] 25 %")
        #expect(Progress.line(0.25, after: 4) == "[#####···············] 25 %, 12 s left")
        #expect(Progress.line(0.5, after: 300) == "[##########··········] 50 %, 5 min left")
        #expect(Progress.line(1, after: 4) == "[####################] 100 %, 0 s left")
    }
}
