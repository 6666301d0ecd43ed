import PledgeTesting
import Testing

struct TestSourceLocationTests {
    @Test func isThatOfTheCallWhereNothingIsSaid() {
        let location = TestSourceLocation()
        #expect("\(location.fileID)" == #fileID)
        #expect("\(location.filePath)" == #filePath)
        #expect(location.line == 6)
        #expect(location.column == 42, "that of the parenthesis")
    }

    @Test func isWrittenAsCompilersWriteIt() {
        let location = TestSourceLocation(
            fileID: "M/F.swift", filePath: "/d/F.swift", line: 3, column: 7)
        #expect("\(location)" == "/d/F.swift:3:7")
    }

    @Test func isEqualToTheSamePlaceAlone() {
        let location = TestSourceLocation(
            fileID: "M/F.swift", filePath: "/F.swift", line: 3, column: 7)
        var other = location
        #expect(Set([location, other]).count == 1)
        other.line = 4
        #expect(Set([location, other]).count == 2)
    }
}
