import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@Suite struct HTTPProblemTests {
    private func error(_ body: String, _ type: String? = "application/problem+json") -> HTTPError {
        var headers: HTTPHeaders = [:]
        headers["Content-Type"] = type
        return HTTPError(
            code: .unacceptableStatus,
            response: HTTPResponse(status: 403, headers: headers, body: Data(body.utf8)))
    }

    /// The example of RFC 9457, section 3.
    private let example = #"""
        {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
        "status": 403, "detail": "Your current balance is 30, but that costs 50.",
        "instance": "/account/12345/msgs/abc", "balance": 30, "accounts": ["/account/1", "/account/2"]}
        """#

    @Test func allMembersOfAProblemAreRead() throws {
        let problem = try #require(error(example).problem)
        #expect(problem.type == "https://example.com/probs/out-of-credit")
        #expect(problem.title == "You do not have enough credit." && problem.status == 403)
        #expect(problem.detail == "Your current balance is 30, but that costs 50.")
        #expect(problem.instance == "/account/12345/msgs/abc")
        #expect(
            problem.extensions == [
                "balance": .integer(30),
                "accounts": .array([.string("/account/1"), .string("/account/2")]),
            ])
    }

    @Test func aProblemWithoutATypeIsAboutBlank() throws {
        let problem = try #require(error("{}").problem)
        #expect(problem.type == "about:blank" && problem.extensions.isEmpty)
        #expect(problem.title == nil && problem.status == nil && problem.detail == nil)
    }

    @Test func aProblemsMemberOfAnotherTypeIsIgnored() throws {
        let wrong = #"{"type":7,"title":null,"status":"403","detail":[],"instance":{},"more":null}"#
        let problem = try #require(error(wrong).problem)
        #expect(problem.type == "about:blank" && problem.title == nil && problem.status == nil)
        #expect(problem.detail == nil && problem.instance == nil)
        #expect(problem.extensions == ["more": .null])
    }

    @Test(arguments: [
        "application/problem+json", "Application/Problem+JSON; charset=utf-8",
        "application/problem+json;x=y",
    ])
    func theMediaTypeMakesAResponseAProblem(type: String) {
        #expect(error(example, type).problem != nil)
    }

    @Test(arguments: ["application/json", "application/problem+xml", "text/plain", "", nil])
    func aResponseOfAnotherMediaTypeIsNoProblem(type: String?) {
        #expect(error(example, type).problem == nil)
    }

    @Test(arguments: ["[]", "7", "", "null", "{", "\"x\""]) func aBodyThatIsNoObjectIsNoProblem(
        body: String
    ) {
        #expect(error(body).problem == nil)
        #expect(HTTPError(code: .timedOut).problem == nil)
    }

    @Test func noTextOfAProblemShowsWhatItSays() throws {
        let secret = example.replacingOccurrences(of: "balance", with: "s3cret")
        let problem = try #require(error(secret).problem)
        for text in texts(of: problem) {
            #expect(!text.contains("s3cret") && !text.contains("credit"), "\(text)")
        }
        #expect(problem.description == "a problem of status 403 with 5 more members")
    }
}
