import HTTPNetworking
import Testing

@Suite struct DeltaSecondsTests {
    @Test func digitsAreReadUpToABound() {
        #expect(DeltaSeconds.parse("0") == 0)
        #expect(DeltaSeconds.parse("007") == 7)
        #expect(DeltaSeconds.parse("99999999999999999999") == DeltaSeconds.most)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", " 1", "1s", "١"])
    func nothingElseIsACount(text: String) {
        #expect(DeltaSeconds.parse(text) == nil)
    }
}
