import PledgeHTTPNetworking
import Testing

@Suite struct DeltaSecondsTests {
    @Test func digitsAreReadUpToABound() {
        #expect(DeltaSeconds.parse("0") == 0)
        #expect(DeltaSeconds.parse("007") == 7)
        #expect(DeltaSeconds.parse("99999999999999999999") == DeltaSeconds.most)
    }

    /// An `Int` of 32 bits would not hold it.
    @Test func theBoundIsAnInt64() {
        let most: Int64 = DeltaSeconds.most
        #expect(most == 2_147_483_648)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", " 1", "1s", "١"])
    func nothingElseIsACount(text: String) {
        #expect(DeltaSeconds.parse(text) == nil)
    }
}
