import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

@Suite struct EntityTagTests {
    /// RFC 9110, section 8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true), ("1", "1", true, true),
        ("1", "\"1\"", false, false), ("w/\"1\"", "\"1\"", false, false),
    ])
    func comparison(left: String, right: String, strong: Bool, weak: Bool) throws {
        let (left, right) = try (#require(EntityTag(left)), #require(EntityTag(right)))
        #expect(left.matchesStrongly(right) == strong && right.matchesStrongly(left) == strong)
        #expect(left.matchesWeakly(right) == weak && right.matchesWeakly(left) == weak)
    }

    @Test func aListIsSplitOutsideOfQuotationMarks() {
        let tags = EntityTag.list(" \"a,b\" ,W/\"c\",, d,\"\"").map(\.opaque)
        #expect(tags == ["\"a,b\"", "\"c\"", "d", "\"\""])
        #expect(EntityTag.list("").isEmpty && EntityTag.list(",").isEmpty)
    }

    @Test func severalTagsThatDifferAreNone() {
        #expect(EntityTag(of: ["ETag": "\"a\"", "etag": "\"b\""]) == nil)
        #expect(EntityTag(of: ["ETag": "\"a\"", "etag": "\"a\""])?.opaque == "\"a\"")
        #expect(EntityTag(of: [:]) == nil && EntityTag("") == nil && EntityTag("W/") == nil)
    }
}
