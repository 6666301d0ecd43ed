import Foundation
import Futures
import HTTPAuthentication
import HTTPNetworking
import HTTPTestSupport
import Services
import Testing

@Suite struct AccessTokenTests {
    private func decode(_ json: String) throws -> AccessToken {
        try JSONDecoder().decode(AccessToken.self, from: Data(json.utf8))
    }

    /// The example of RFC 6749, section 5.1.
    @Test func readsATokenResponse() throws {
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

    @Test func isReadAsItWasWritten() throws {
        let token = AccessToken("a", type: "b", lifetime: .milliseconds(2_500), refreshToken: "c")
        let data = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(AccessToken.self, from: data) == token)
    }

    @Test(arguments: [("bearer", "Bearer t"), ("BEARER", "Bearer t"), ("DPoP", "DPoP t")])
    func theTypeStandsBeforeIt(type: String, header: String) {
        let server = ScriptedServer([])
        let refresher = TokenRefresher(AccessToken("t", type: type)) { _ in .init(value: .init(""))
        }
        let send = Middleware.authorize(.bearer(from: refresher), for: .all)(server.send)
        _ = send(TokenFixture.request())
        #expect(server.requests.map { $0.headers["Authorization"] } == [header])
    }
}
