import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeServices
import Testing

@Suite struct AccessTokenTests {
    private func decode(_ json: String) throws -> AccessToken {
        try JSONDecoder().decode(AccessToken.self, from: Data(json.utf8))
    }

    /// The example of RFC 6749, section 5.1.
    @Test func aTokenIsReadFromATokenResponse() throws {
        let token = try decode(
            """
            {"access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "example", "expires_in": 3600,
             "refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA", "example_parameter": "example_value"}
            """)
        #expect(
            token
                == AccessToken(
                    "2YotnFZFEjr1zCsicMWpAA", type: "example", lifetime: .seconds(3_600),
                    refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA"))
    }

    @Test(
        arguments: [
            ("", nil), (#", "expires_in": null"#, nil), (#", "expires_in": "60""#, .seconds(60)),
            (#", "expires_in": 1.5"#, .milliseconds(1_500)), (#", "expires_in": 0"#, .zero),
            (#", "expires_in": -1"#, nil), (#", "expires_in": 1e300"#, nil),
            (#", "expires_in": "soon""#, nil), (#", "expires_in": {}"#, nil),
        ] as [(String, Duration?)])
    func onlyTheTokenHasToBeThere(rest: String, lifetime: Duration?) throws {
        let token = try decode(#"{"access_token": "a"\#(rest)}"#)
        #expect(token == AccessToken("a", lifetime: lifetime))
        #expect(throws: DecodingError.self) { try decode(#"{"token_type": "Bearer"\#(rest)}"#) }
    }

    @Test(arguments: [nil, Duration.milliseconds(3_600_500)])
    func aTokenIsReadAsItWasWritten(lifetime: Duration?) throws {
        let token = AccessToken("a", type: "b", lifetime: lifetime, refreshToken: "c")
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        var read = try JSONDecoder().decode(AccessToken.self, from: encoder.encode(token))
        // A second may have begun meanwhile.
        if read.lifetime == lifetime.map({ $0 - .seconds(1) }) { read.lifetime = lifetime }
        #expect(read == token)
    }

    @Test func aTokenIsReadByADecoderThatConvertsFromSnakeCase() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text =
            #"{"access_token": "a", "token_type": "DPoP", "expires_in": 60, "refresh_token": "b"}"#
        let token = try decoder.decode(AccessToken.self, from: Data(text.utf8))
        #expect(token.value == "a" && token.type == "DPoP" && token.refreshToken == "b")
        #expect(token.lifetime == .seconds(60))
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let stored = try decoder.decode(AccessToken.self, from: encoder.encode(token))
        #expect(stored.value == "a" && stored.refreshToken == "b")
    }

    @Test func aTokenIsWrittenWithItsEnd() throws {
        let data = try JSONEncoder().encode(AccessToken("a", lifetime: .seconds(3_600)))
        let fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Set(fields.keys) == ["access_token", "token_type", "expires_at"])
        // Since 1970: 1.7e9 was in 2023.
        #expect(try #require(fields["expires_at"] as? Double) > 1.7e9)
    }

    @Test func aTokenHasExpiredIfItsEndWasInThePast() throws {
        let json = #"{"access_token": "t1", "expires_in": 3600, "expires_at": 1700000000}"#
        let token = try decode(json)
        #expect(token.lifetime == .zero)
        let fixture = TokenFixture(token)
        fixture.expect("t2")
        let answer = fixture.send(TokenFixture.request())
        #expect(fixture.begun == 1 && fixture.sent.isEmpty)
        fixture.end(with: AccessToken("t2"))
        #expect(answer.valueNow?.status == 200)
    }

    @Test(arguments: ["null", #""soon""#, "-1", "1e300", "{}", #""2027-01-01T00:00:00Z""#])
    func anEndThatIsNoNumberOfSecondsIsPassedOver(end: String) throws {
        let json = #"{"access_token": "a", "expires_in": 60, "expires_at": \#(end)}"#
        #expect(try decode(json).lifetime == .seconds(60))
    }

    @Test func anEndWrittenAsTextCounts() throws {
        let json = #"{"access_token": "a", "expires_in": 60, "expires_at": "1700000000"}"#
        #expect(try decode(json).lifetime == .zero)
    }

    @Test(arguments: [("bearer", "Bearer t"), ("BEARER", "Bearer t"), ("DPoP", "DPoP t")])
    func theTypeOfATokenStandsBeforeIt(type: String, header: String) {
        let server = ScriptedServer([])
        let refresher = TokenRefresher(AccessToken("t", type: type)) { _ in .init(value: .init(""))
        }
        let send = Middleware.authorize(.bearer(from: refresher), for: .all)(server.send)
        _ = send(TokenFixture.request())
        #expect(server.requests.map { $0.headers["Authorization"] } == [header])
    }
}
