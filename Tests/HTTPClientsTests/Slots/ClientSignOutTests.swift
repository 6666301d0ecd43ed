import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeStorage
import Testing

/// A user of a client with a cache on the disk signs out.
@Suite struct ClientSignOutTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// A slot that a client gets, in any order.
    enum Slot: CaseIterable { case cache, authorization, account }

    @Test(arguments: [nil, "alice"])
    func signingOutRemovesTheAccountsBodiesFromTheDisk(_ account: String?) async throws {
        let refresher = Self.refresher(folder.url)
        refresher.signIn(with: AccessToken("a"))
        let client = Self.client(folder.url, refresher, account)
        for path in ["/1", "/2"] as [String] {
            _ = try await client.send(Endpoint(path: path))
        }
        try await client.cache?.flush().value
        #expect(try bodies().count == 2)
        refresher.signOut()
        try await client.cache?.flush().value
        #expect(try bodies() == [])
    }

    @Test func signingOutBeforeAnyRequestRemovesWhatAnEarlierRunHasStored() async throws {
        let orders: [[Slot]] = [
            [.cache, .authorization, .account], [.account, .authorization, .cache],
            [.authorization, .cache, .account],
        ]
        for (order, account) in orders.flatMap({ [($0, nil), ($0, "alice")] }) {
            do {
                let refresher = Self.refresher(folder.url)
                refresher.signIn(with: AccessToken("a"))
                let client = Self.client(folder.url, refresher, account)
                _ = try await client.send(Endpoint(path: "/"))
                try await client.cache?.flush().value
            }
            #expect(try bodies().count == 1)
            let refresher = Self.refresher(folder.url)
            let client = Self.client(folder.url, refresher, account, order)
            refresher.signOut()
            try await client.cache?.flush().value
            #expect(try bodies() == [], "\(order), \(account ?? "no account")")
        }
    }

    // Exit tests capture values since Swift 6.3.
    #if (os(macOS) || os(Linux)) && compiler(>=6.3)
    @Test(arguments: [nil, "alice"])
    func signingOutRemovesWhatAnotherProcessHasStoredForTheUser(_ account: String?) async throws {
        let refresher = Self.refresher(folder.url)
        refresher.signIn(with: AccessToken("a"))
        let client = Self.client(folder.url, refresher, account)
        await #expect(processExitsWith: .success) {
            [path = folder.url.path as String, account = account as String?] in
            let folder = URL(fileURLWithPath: path)
            let client = Self.client(folder, Self.refresher(folder), account)
            _ = try await client.send(Endpoint(path: "/there"))
            try await client.cache?.flush().value
        }
        #expect(try bodies().count == 1)
        refresher.signOut()
        try await client.cache?.flush().value
        #expect(try bodies() == [])
    }

    @Test func aSecondProcessThatHasTheBodiesInMemoryDoesNotReturnThemAnyMore() async throws {
        let first = Self.refresher(folder.url)
        first.signIn(with: AccessToken("a"))
        // This process is the second one, and stays signed in.
        let client = Self.client(folder.url, first, "alice")
        let before = try await client.send(Endpoint(path: "/"))
        try await client.cache?.flush().value
        #expect(try await client.send(Endpoint(path: "/")).text == before.text)
        await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
            let folder = URL(fileURLWithPath: path)
            let refresher = Self.refresher(folder)
            let client = Self.client(folder, refresher, "alice")
            refresher.signOut()
            try await client.cache?.flush().value
        }
        #expect(try bodies() == [])
        #expect(try await client.send(Endpoint(path: "/")).text != before.text)
    }
    #endif

    private func bodies() throws -> [String] {
        let cache = folder.url.appendingPathComponent("cache")
        return try FileManager.default.contentsOfDirectory(atPath: cache.path)
            .filter { $0.hasSuffix(".http") }
            .map {
                String(
                    decoding: try Data(contentsOf: cache.appendingPathComponent($0)), as: UTF8.self)
            }
            .filter { $0.contains("alice's") }
    }

    private static func refresher(_ folder: URL) -> TokenRefresher {
        TokenRefresher(storedIn: AccessTokenFile(folder.appendingPathComponent("token"))) {
            Future(value: $0)
        }
    }

    private static func client(
        _ folder: URL, _ refresher: TokenRefresher, _ account: String?,
        _ order: [Slot] = Slot.allCases
    ) -> HTTPClient {
        let server: HTTPService = { _ in
            let body = Data("alice's \(UUID())".utf8)
            return Future(
                value: HTTPResponse(
                    status: 200, headers: ["Cache-Control": "private, max-age=3600"], body: body))
        }
        var client = HTTPClient(base: URL(string: "https://bank.example")!, over: server)
        for slot in order {
            switch slot {
            case .cache: client.cache = HTTPCache(folder: folder.appendingPathComponent("cache"))
            case .authorization: client.authorization = .bearer(from: refresher)
            case .account: client.account = account
            }
        }
        return client
    }
}
