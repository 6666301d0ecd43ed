import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import TestSupport
import Testing

@Suite struct RecordedClientTests {
    private let server = URL(string: "https://a.example")!

    @Test("redirects, retries and 401s are entries of their own")
    func eachExchangeIsAnEntry() async throws {
        let transport = MemoryTransport(routes: [
            .get("/old", answer: .status(302, headers: ["Location": "/new"])),
            .get("/new", answer: .sequence([.status(503), .status(401), .text("ok")])),
        ])
        let recorder = HTTPRecorder()
        var client = HTTPClient(base: server, over: transport)
        client.retry?.backoff = .constant(.zero)
        client.authorization = .bearer(
            from: TokenRefresher(AccessToken("t0ken-old")) { _ in
                Future(value: AccessToken("t0ken-new"))
            })
        client.aroundExchange = .record(into: recorder)
        let response: HTTPResponse = try await client.get("/old")
        #expect(response.text == "ok")
        let entries = recorder.archive.entries
        #expect(entries.map(\.request.url.path) == ["/old", "/new", "/new", "/new"])
        #expect(entries.map { $0.response?.status } == [302, 503, 401, 200])
        #expect(entries.allSatisfy { $0.request.headers["Authorization"] == "Bearer REDACTED" })

        // The recording answers a client like the one that was recorded.
        var replayed = HTTPClient(
            base: server, over: ReplayTransport(recorder.archive, repeatsLast: false))
        replayed.retry?.backoff = .constant(.zero)
        replayed.authorization = .bearer(
            from: TokenRefresher(AccessToken("other")) { _ in Future(value: AccessToken("new")) })
        let again: HTTPResponse = try await replayed.get("/old")
        #expect(again.text == "ok")
    }

    @Test("no secret of a client is in the file: credentials, cookies, keys, passwords, tokens")
    func noSecretIsInTheFile() async throws {
        let secrets = [
            "s3cret-bearer-1", "s3cret-basic-2", "s3cret-cookie-3", "s3cret-key-4", "s3cret-form-5",
            "s3cret-refresh-6", "s3cret-access-7", "s3cret-json-8", "s3cret-user-9",
            "s3cret-header-10", "s3cret-echo-11",
        ]
        let transport = MemoryTransport(routes: [
            .post(
                "/token",
                answer: .text(
                    #"{"access_token": "s3cret-access-7", "refresh_token": "s3cret-refresh-6", "token_type": "bearer"}"#
                )),
            .post(
                "/login",
                answer: .status(200, headers: ["Set-Cookie": "sid=s3cret-cookie-3; Path=/"])),
            .post("/json", answer: .text("you sent s3cret-json-8 and s3cret-cookie-3")),
            .get("/data", answer: .sequence([.status(401), .text("by s3cret-access-7")])),
            .get("/basic", answer: .text("c3NzOnMzY3JldC1iYXNpYy0y")),
        ])
        let recorder = HTTPRecorder()
        func client() -> HTTPClient {
            var client = HTTPClient(base: server, over: transport)
            client.aroundExchange = .record(into: recorder)
            return client
        }
        var api = client()
        let signIn = client()
        api.cookies = CookieJar()
        api.authorization = .bearer(
            from: TokenRefresher(
                AccessToken("s3cret-bearer-1", refreshToken: "s3cret-refresh-6"),
                // Whose refresh has any time, on a busy machine too.
                on: ManualScheduler()
            ) { token in
                try await signIn.post("/token", form: ["refresh_token": token.refreshToken])
            })
        let _: HTTPResponse = try await api.post(
            "/login", form: ["user": "ann", "password": "s3cret-form-5"])
        let _: HTTPResponse = try await api.get("/data?api_key=s3cret-key-4&page=2")
        var json = HTTPRequest(
            .post, URL(string: "https://s3cret-user-9:pw@a.example/json?token=s3cret-echo-11")!)
        json.headers = ["X-Client-Secret": "s3cret-header-10"]
        json.body = .data(
            Data(#"{"client_secret": "s3cret-json-8"}"#.utf8), contentType: "application/json")
        _ = try? await api.futures.send(json).soon
        json.url = server.appendingPathComponent("json")
        _ = try await api.futures.send(json).soon
        var basic = client()
        basic.authorization = .basic(user: "sss", password: "s3cret-basic-2")
        let _: HTTPResponse = try await basic.get("/basic")

        let text = String(decoding: recorder.archive.encoded, as: UTF8.self)
        for secret in secrets {
            #expect(!text.contains(secret), "\(secret)")
            #expect(!text.contains(Data(secret.utf8).base64EncodedString()), "\(secret)")
        }
        // What is no secret is there.
        for word in ["page", "ann", "/token", "bearer", "sid=REDACTED; Path=/", "you sent"] {
            #expect(text.contains(word), "\(word)")
        }
        #expect(recorder.archive.entries.count >= 6)
    }

    @Test("entries of two users at once have their own user's answer, and nobody's token")
    func entriesOfTwoUsersAtOnceHaveTheirOwnUsersAnswer() async throws {
        let recorder = HTTPRecorder()
        let transport = MemoryTransport(routes: [
            .get("/me/:name", answer: .reply { call in Data(call.parameters["name"]!.utf8) })
        ])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in ["ann", "bob"] {
                var client = HTTPClient(base: server, over: transport)
                client.authorization = .bearer("s3cret-of-\(user)")
                client.aroundExchange = .record(into: recorder)
                for _ in 0..<50 {
                    group.addTask { [client] in
                        let response: HTTPResponse = try await client.get("/me/\(user)")
                        #expect(response.text == user)
                    }
                }
            }
            try await group.waitForAll()
        }
        let archive = recorder.archive
        #expect(archive.entries.count == 100)
        #expect(
            archive.entries.allSatisfy { $0.response?.text == $0.request.url.lastPathComponent })
        #expect(!String(decoding: archive.encoded, as: UTF8.self).contains("s3cret"))
        #expect(archive.entries.map(\.startedAt) == archive.entries.map(\.startedAt).sorted())
    }

    @Test func bodiesAreRecordedDecoded() async throws {
        let coded = Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==")!
        let transport = MemoryTransport(routes: [
            .get("/", answer: .status(200, headers: ["Content-Encoding": "gzip"], body: coded))
        ])
        let recorder = HTTPRecorder()
        var client = HTTPClient(base: server, over: transport)
        client.aroundExchange = .record(into: recorder)
        let response: HTTPResponse = try await client.get("/")
        #expect(response.text == "hello")
        #expect(recorder.archive.entries.first?.response?.text == "hello")
        #expect(recorder.archive.entries.first?.response?.headers["Content-Encoding"] == nil)
    }
}
