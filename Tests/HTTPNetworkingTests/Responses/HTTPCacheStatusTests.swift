import PledgeHTTPMessages
import Testing

@Suite struct HTTPCacheStatusTests {
    @Test(
        arguments: [
            ("A; hit", .hit), ("A;hit;ttl=9", .hit), ("A; hit; ttl=-1", .stale),
            ("A; hit=?1", .hit),
            ("A; fwd=uri-miss; stored", .miss(.uriMiss)), ("A; fwd=miss", .miss(.miss)),
            ("A; hit=?0; fwd=bypass", .miss(.bypass)), ("A; fwd=something", .miss(.miss)),
            ("A; fwd=stale; fwd-status=304; stored", .revalidated),
            ("A; fwd=stale; fwd-status=200", .miss(.stale)),
            ("A; fwd=uri-miss; collapsed", .collapsed),
            ("A; fwd=stale, B; hit", .hit), ("A; hit, B; fwd=method", .miss(.method)),
            (#""A, \"; hit"; fwd=request"#, .miss(.request)),
            (#"A; detail="; hit, x"; fwd=partial"#, .miss(.partial)),
            ("A; hit; ttl=99999999999999999999", .hit), ("A; hit, B", nil), ("A", nil), ("", nil),
            ("A; hit,", nil), ("hit", nil), (#"A; "hit"#, nil), (";;;==,,", nil),
            ("A; =; hit", .hit),
        ] as [(String, HTTPCacheStatus?)])
    func theLastMemberOfCacheStatusCounts(_ field: String, _ expected: HTTPCacheStatus?) {
        let response = HTTPResponse(status: 200, headers: ["Cache-Status": field])
        #expect(response.cacheStatus == expected)
    }

    @Test func ofSeveralCacheStatusLinesTheLastOneCountsAndNoneGivesNoStatus() {
        var response = HTTPResponse(status: 200)
        #expect(response.cacheStatus == nil)
        response.headers.add("Origin; fwd=uri-miss", for: "Cache-Status")
        response.headers.add("CDN; hit", for: "Cache-Status")
        #expect(response.cacheStatus == .hit)
    }

    @Test func everyReasonIsReadByItsNameInRFC9211() {
        for reason in HTTPCacheStatus.Reason.allCases {
            let response = HTTPResponse(
                status: 200, headers: ["Cache-Status": "A; fwd=\(reason.rawValue)"])
            #expect(response.cacheStatus == .miss(reason))
        }
    }
}
