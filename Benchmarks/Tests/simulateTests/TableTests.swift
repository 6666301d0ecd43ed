import Testing

@testable import simulate

@Suite struct TableTests {
    @Test func wordsAreToTheLeftAndNumbersToTheRight() {
        var table = Table("Figures", columns: ["rule", "share", "p99"])
        table.add("no retry", .share(0.5), .milliseconds(0.0123, digits: 1))
        table.add("all", .share(1), .milliseconds(nil))

        #expect(
            table.text == """
                Figures

                  rule        share      p99
                  no retry   50.0 %  12.3 ms
                  all       100.0 %        –

                """)
    }
}
