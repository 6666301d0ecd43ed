import Testing

@testable import PledgeServices

@Suite struct BoundedLabelsTests {
    @Test func beyondTheLimitTheyAreOther() {
        var labels = BoundedLabels(limit: 2)
        #expect(
            ["a", "b", "c", "a", "d", "b"].map { labels.admit($0) }
                == ["a", "b", "other", "a", "other", "b"])
    }

    @Test func theyAreCut() {
        var labels = BoundedLabels(limit: 2)
        #expect(labels.admit(String(repeating: "x", count: 500)).unicodeScalars.count == 129)
    }
}
