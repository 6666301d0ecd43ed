import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 4.1: which of several responses answers a request.
@Suite struct CacheVaryTests {
    private func reuses(
        vary: String, _ asked: HTTPHeaders, _ asking: HTTPHeaders
    ) throws -> Bool {
        try CacheBench().reuses(
            ["Cache-Control": "max-age=100", "Vary": vary], asked: asked, asking: asking)
    }

    @Test func theSameValuesOfVaryMatch() throws {
        #expect(try reuses(vary: "Foo", ["Foo": "1"], ["Foo": "1"]))
        #expect(try reuses(vary: "FOO", ["foo": "1"], ["Foo": "1"]))
        #expect(try reuses(vary: "Foo", ["Foo": "1", "Bar": "1"], ["Foo": "1", "Bar": "2"]))
        #expect(try reuses(vary: "Foo", [:], [:]))
    }

    @Test func otherValuesOfVaryDoNotMatch() throws {
        #expect(try !reuses(vary: "Foo", ["Foo": "1"], ["Foo": "2"]))
        #expect(try !reuses(vary: "Foo", ["Foo": "a"], ["Foo": "A"]))
    }

    @Test func aFieldThatIsMissingMatchesOnlyAMissingOne() throws {
        #expect(try !reuses(vary: "Foo", ["Foo": "1"], [:]))
        #expect(try !reuses(vary: "Foo", [:], ["Foo": "1"]))
        #expect(try !reuses(vary: "Foo", [:], ["Foo": ""]))
    }

    @Test func allNamedFieldsMustMatch() throws {
        let asked: HTTPHeaders = ["Foo": "1", "Bar": "2", "Baz": "3"]
        for vary in ["Foo, Bar, Baz", "foo,bar ,\tbaz", ",Foo,,Bar,Baz,"] {
            #expect(try reuses(vary: vary, asked, asked))
            for name in ["Foo", "Bar", "Baz"] {
                var other = asked
                other[name] = "9"
                #expect(try !reuses(vary: vary, asked, other))
                other[name] = nil
                #expect(try !reuses(vary: vary, asked, other))
            }
        }
    }

    @Test func severalLinesOfVaryCount() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=100", "Vary": "Foo", "vary": "Bar"]
        let asked: HTTPHeaders = ["Foo": "1", "Bar": "2"]
        #expect(try CacheBench().reuses(headers, asked: asked, asking: asked))
        #expect(try !CacheBench().reuses(headers, asked: asked, asking: ["Foo": "1", "Bar": "3"]))
    }

    @Test(arguments: ["*", "*, *", "*, Foo", "Foo, *", ",*", " , *", "Foo Bar", "\"Foo\""])
    func aStarInVaryMatchesNothing(vary: String) throws {
        #expect(try !reuses(vary: vary, ["Foo": "1"], ["Foo": "1"]))
        let headers: HTTPHeaders = ["Cache-Control": "max-age=100", "Vary": "", "vary": vary]
        #expect(try !CacheBench().reuses(headers))
    }

    @Test func linesAndWhiteSpaceAreEvenedOut() throws {
        #expect(try reuses(vary: "Foo", ["Foo": "1", "foo": "2"], ["Foo": "1,2"]))
        #expect(try reuses(vary: "Foo", ["Foo": "1, 2"], ["Foo": "1  ,\t2"]))
        #expect(try !reuses(vary: "Foo", ["Foo": "1, 2"], ["Foo": "2, 1"]))
        #expect(try !reuses(vary: "Foo", ["Foo": "\"1, 2\""], ["Foo": "\"1,2\""]))
    }

    @Test func variantsLiveSideBySide() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "Vary": "Foo"])
        for (value, body) in [
            ("a", "1"), ("b", "2"), ("a", "1"), ("b", "2"), ("c", "3"), ("a", "1"),
        ] {
            #expect(try bench.get(["Foo": value]) == body)
        }
        #expect(bench.store.currentUsage.count == 3)
    }

    @Test func ofSeveralThatMatchTheLatestIsUsed() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=100", "Vary": "Foo"]),
            .init(headers: ["Cache-Control": "max-age=100"]))
        #expect(try bench.get(["Foo": "a"]) == "1")
        bench.advance(1)
        #expect(try bench.get(["Foo": "b"]) == "2")
        #expect(try bench.get(["Foo": "a"]) == "2")
    }

    @Test func anOlderDateLosesAgainstALater() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=100", "Vary": "Foo"]),
            .init(headers: ["Cache-Control": "max-age=100", "Date": CacheBench.date(-50)]))
        #expect(try bench.get(["Foo": "a"]) == "1")
        #expect(try bench.get(["Foo": "b"]) == "2")
        #expect(try bench.get(["Foo": "a"]) == "1")
    }

    /// RFC 9110, section 8.5.1.
    @Test func languagesHaveNoCase() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "Vary": "Accept-Language, Foo"])
        let asking = { (language: String, foo: String) -> HTTPHeaders in
            ["Accept-Language": language, "Foo": foo]
        }
        #expect(try bench.get(asking("en-GB, de", "a")) == "1")
        #expect(try bench.get(asking("EN-gb,De", "a")) == "1")
        #expect(try bench.get(asking("de, en-GB", "a")) == "2")
        #expect(try bench.get(asking("en-GB, de", "A")) == "3")
    }

    @Test func usersAreKeptApart() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "ETag": "\"a\""])
        #expect(try bench.get(["Authorization": "Bearer 1"]) == "1")
        #expect(try bench.get(["Authorization": "Bearer 2"]) == "2")
        #expect(bench.last?.headers["If-None-Match"] == nil)
        #expect(try bench.get() == "3")
        #expect(try bench.get(["Authorization": "Bearer 1"]) == "1")
    }

    @Test func theNumberOfVariantsIsBounded() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "Vary": "Foo"])
        for number in 1...40 { _ = try bench.get(["Foo": "\(number)"]) }
        #expect(bench.store.currentUsage.count == 16)
        #expect(try bench.get(["Foo": "40"]) == "40" && bench.get(["Foo": "1"]) == "41")
    }

    @Test func a304MayChangeWhatItVariesBy() throws {
        let bench = CacheBench()
        let tag = "\"a\""
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=1", "ETag": tag]),
            .init(
                status: 304, headers: ["Cache-Control": "max-age=100", "ETag": tag, "Vary": "Foo"]),
            .init())
        _ = try bench.get(["Foo": "a"])
        bench.advance(1)
        #expect(try bench.get(["Foo": "b"]) == "1")
        #expect(try bench.get(["Foo": "b"]) == "1")
        #expect(try bench.get(["Foo": "a"]) == "3")
    }

    @Test func a304ThatVariesByEverythingIsAskedAnew() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=1", "ETag": "\"a\""]),
            .init(status: 304, headers: ["ETag": "\"a\"", "Vary": "*"]), .init())
        _ = try bench.get()
        bench.advance(1)
        #expect(try bench.get() == "3" && bench.store.currentUsage.count == 0)
        #expect(bench.last?.headers["If-None-Match"] == nil)
    }
}
