import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, sections 3.5, 5.2.2.7, 5.2.2.8 and 5.2.2.10: a cache that serves several users.
@Suite struct CacheSharedModeTests {
    private func reuses(
        _ control: String, after seconds: Int = 0, asked: HTTPHeaders = [:],
        asking: HTTPHeaders = [:], _ more: HTTPHeaders = [:]
    ) throws -> Bool {
        var headers = more
        headers.set(control, for: "Cache-Control")
        return try CacheBench(mode: .shared).reuses(
            headers, after: seconds, asked: asked, asking: asking)
    }

    @Test func sMaxAgeGoesFirst() throws {
        #expect(try reuses("s-maxage=10, max-age=1", after: 9))
        #expect(try !reuses("s-maxage=10, max-age=100", after: 10))
        #expect(try !reuses("s-maxage=x, max-age=100", after: 1))
        #expect(try reuses("s-maxage=10", after: 9, ["Expires": "0"]))
    }

    @Test func privateIsNotStored() throws {
        #expect(try !reuses("private, max-age=10") && !reuses("private=\"\", max-age=10"))
    }

    @Test func fieldsThatPrivateNamesAreNotStored() throws {
        let bench = CacheBench(mode: .shared)
        bench.answers(["Cache-Control": "max-age=10, private=\"A\"", "A": "1", "B": "2"])
        try bench.ask()
        let again = try bench.ask()
        #expect(again.text == "1" && again.headers["A"] == nil && again.headers["B"] == "2")
    }

    @Test func authorizationNeedsAWordOfPermission() throws {
        let user: HTTPHeaders = ["Authorization": "Bearer a"]
        #expect(try !reuses("max-age=10", asked: user, asking: user))
        for control in ["public, max-age=10", "max-age=10, must-revalidate", "s-maxage=10"] {
            #expect(try reuses(control, asked: user, asking: ["Authorization": "Bearer b"]))
        }
    }

    @Test func proxyRevalidateAndSMaxAgeAreNeverStale() throws {
        let asking: HTTPHeaders = ["Cache-Control": "max-stale"]
        #expect(try reuses("max-age=10", after: 11, asking: asking))
        #expect(try !reuses("max-age=10, proxy-revalidate", after: 11, asking: asking))
        #expect(try !reuses("s-maxage=10", after: 11, asking: asking))
    }
}
