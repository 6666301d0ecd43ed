import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies
@testable import PledgeStorage

/// An upload that stopped goes on for the same user only, also in a later run of the process.
@Suite(.oneAtATime) struct UploadUsersTests {
    private let folder: TestFolder
    private let file: URL
    private let record: URL
    private let content = Data(repeating: 7, count: 20_000)

    init() throws {
        folder = try TestFolder()
        file = try folder.file("film.mp4", content)
        record = try folder.file("record")
    }

    private func client(
        _ user: String, by way: UserWay, over service: @escaping HTTPService
    ) -> HTTPClient {
        var client = HTTPClient(base: URL(string: "https://a.example"), over: service)
        client.retry = .init(attempts: 1)
        client.circuitBreaker = nil
        way.apply(user, to: &client)
        return client
    }

    private func upload(_ client: HTTPClient) -> Future<HTTPResponse> {
        client.futures.upload(
            file, to: "/files", headers: ["Content-Type": "video/mp4"], by: .tus, record: record)
    }

    /// Uploads with one client until the connection is lost, and then with another one.
    ///
    /// - Returns: The methods of the second call.
    private func upload(
        to server: UploadServer, _ first: HTTPClient, then second: HTTPClient
    ) async throws -> [String] {
        server.lose(after: [7_000])
        let lost = upload(first)
        await #expect(throws: HTTPError.self) { try await lost.value }
        #expect(folder.names == ["film.mp4", "record"])
        let before = server.methods.count
        _ = try await upload(second).value
        #expect(server.content == content && server.isComplete)
        #expect(folder.names == ["film.mp4"])
        return Array(server.methods.dropFirst(before))
    }

    @Test(
        "only the same user goes on with an upload; another begins anew",
        arguments: UserWay.ofUploads)
    func onlyTheSameUserGoesOnWithAnUpload(way: UserWay) async throws {
        for user in ["alice", "bob"] {
            let server = UploadServer(.tus)
            let first = client("alice", by: way, over: server.answer)
            let second = client(user, by: way, over: server.answer)
            let goesOn = user == "alice" || way == .nobody
            let methods = try await upload(to: server, first, then: second)
            #expect(methods == ["HEAD"] + (goesOn ? [] : ["POST"]) + ["PATCH"])
            // No byte of one user went to the other's upload.
            #expect(server.problems.isEmpty)
        }
    }

    @Test(
        "another user's upload at another origin begins anew, without the user's header",
        arguments: UserWay.ofUploads)
    func anotherUsersUploadAtAnotherOriginBeginsAnew(way: UserWay) async throws {
        for user in ["alice", "bob"] {
            let server = UploadServer(.tus, at: "https://cdn.example/up/1")
            let first = client("alice", by: way, over: server.answer)
            let second = client(user, by: way, over: server.answer)
            let goesOn = user == "alice" || way == .nobody
            let methods = try await upload(to: server, first, then: second)
            #expect(methods == ["OPTIONS"] + (goesOn ? ["HEAD"] : ["POST"]) + ["PATCH"])
            let away = server.requests.filter { $0.url.host() == "cdn.example" }
            #expect(away.allSatisfy { $0.headers["Authorization"] == nil })
        }
    }

    @Test("the record shows no user, and nobody can mark it for a user without knowing who")
    func theRecordShowsNoUser() async throws {
        let server = UploadServer(.tus)
        server.lose(after: [7_000, 7_000])
        var marks: [String] = []
        for _ in 0..<2 {
            let lost = upload(client("alice-s3cret", by: .token, over: server.answer))
            await #expect(throws: HTTPError.self) { try await lost.value }
            let lines = try #require(SealedLines.decoded([UInt8](Data(contentsOf: record))))
            #expect(!lines.joined().contains("s3cret"))
            marks.append(lines[2])
            try FileManager.default.removeItem(at: record)
        }
        #expect(Set(marks).count == 2)
    }

    @Test("a sign-in in the middle of an upload ends it, and sends no byte for the other user")
    func aSignInInTheMiddleOfAnUploadEndsIt() async throws {
        let jar = CookieJar()
        let base = try #require(URL(string: "https://a.example"))
        jar.store("sid=alice", from: base)
        let server = UploadServer(.tus)
        server.lose(after: [7_000])
        var client = client("", by: .nobody) { request in
            let answer = server.answer(request)
            if request.method == .patch {
                jar.removeAll()
                jar.store("sid=bob", from: base)
            }
            return answer
        }
        client.cookies = jar
        client.retry = .init(attempts: 3, backoff: .constant(.zero))
        let lost = upload(client)
        let error = await #expect(throws: HTTPError.self) { try await lost.value }
        #expect(error?.code == .sessionEnded)
        #expect(server.requests.allSatisfy { $0.headers["Cookie"]?.contains("bob") != true })
    }
}
