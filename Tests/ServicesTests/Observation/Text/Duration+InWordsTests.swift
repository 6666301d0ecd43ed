import PledgeServices
import Testing

@Suite struct DurationInWordsTests {
    @Test(arguments: [
        (Duration.nanoseconds(1_643_842_932), "1.64 seconds"), (.seconds(5), "5.0 seconds"),
        (.milliseconds(250), "0.25 seconds"), (.milliseconds(59_960), "60.0 seconds"),
        (.seconds(3_661), "3660.0 seconds"), (.zero, "0.0 seconds"), (.seconds(-1), "0.0 seconds"),
    ])
    func itHasThreeSignificantDigitsAndAUnit(duration: Duration, text: String) {
        #expect(duration.inWords == text)
    }
}
