import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

/// Docs/Guides/CheatSheetTransports.md says which settings a transport keeps.
@Suite(.oneAtATime)
struct CheatSheetTransportsTests {
    private let sheet: CheatSheet
    private let settings: MarkdownTable

    init() throws {
        sheet = try CheatSheet("CheatSheetTransports")
        settings = try #require(sheet.tables.first { $0.columns.first == "Setting" })
    }

    /// The column of SessionTransport on the system that the test runs on.
    #if canImport(FoundationNetworking)
    private let session = "`SessionTransport`, Linux"
    #else
    private let session = "`SessionTransport`, Apple's systems"
    #endif

    /// How a test makes each setting; the codes in a row's first cell name it.
    private let changes: [String: @Sendable (inout ConnectionSettings, URL) -> Void] = [
        "tls.authorities": { $0.tls.authorities = .systemAnd($1) },
        "tls.minimumVersion": { settings, _ in settings.tls.minimumVersion = .tls13 },
        "tls.clientCertificate": {
            $0.tls.clientCertificate = .init(chain: $1, privateKey: $1)
        },
        "tls.pinnedKeys": { settings, _ in
            let hash = Data(repeating: 7, count: 32).base64EncodedString()
            settings.tls.pinnedKeys = [PinnedKey(sha256: hash)].compactMap(\.self)
        },
        "proxy, .server": { settings, _ in
            if let proxy = URL(string: "http://127.0.0.1:9") { settings.proxy = .server(proxy) }
        },
        "versions, .http1": { settings, _ in settings.versions = .http1 },
        "versions, .http2": { settings, _ in settings.versions = .http2 },
        "unixSocketPath": { settings, _ in settings.unixSocketPath = "/no/such.sock" },
        "addresses": { settings, _ in settings.addresses = ["a.example": ["127.0.0.1"]] },
    ]

    private func isRefused(_ make: () throws -> Void) throws -> Bool {
        do { try make() } catch is UnsupportedSetting { return true }
        return false
    }

    @Test func transportsKeepWhatTheSheetSays() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let rows = zip(settings["Setting"], zip(settings["`CurlTransport`"], settings[session]))
        for (setting, (curl, session)) in rows {
            let name = MarkdownTable.code(in: setting).joined(separator: ", ")
            var connecting = ConnectionSettings()
            let change = try #require(changes[name], "\(name)")
            change(&connecting, file)
            let byCurl = try isRefused { _ = try CurlTransport(connecting: connecting) }
            #expect(byCurl == (curl == "refused"), "\(name)")
            let bySession = try isRefused { _ = try SessionTransport(connecting: connecting) }
            #expect(bySession == (session == "refused"), "\(name)")
        }
        #expect(settings.rows.count == changes.count)
    }

    @Test func reportsOfConnections() async throws {
        let table = try #require(sheet.tables.first)
        let row = try #require(table.rows.first { $0.first == "reports connections" })
        let server = try LoopbackServer { _ in .text("hello") }
        defer { server.stop() }
        let transports: [String: any HTTPTransport] = [
            "`CurlTransport`": CurlTransport(), session: SessionTransport(),
            "`MemoryTransport`": MemoryTransport(routes: [.get("/", answer: .text("hello"))]),
        ]
        for (name, transport) in transports {
            let index = try #require(table.columns.firstIndex(of: name), "\(name)")
            let response = try await transport.send(HTTPRequest(server.url)).value
            let isReported = response.timing.connection != nil
            #expect(row[index] == (isReported ? "yes" : "no"), "\(name)")
        }
    }

    @Test func theSheetAgreesWithTheGuide() throws {
        let guide = try #require(
            CheatSheet("ProxiesAndTLS").tables.first { $0.columns.first == "Setting" })
        #expect(guide.columns == settings.columns)
        for row in settings.rows {
            let codes = MarkdownTable.code(in: row[0])
            let same = guide.rows.first { row in
                let all = MarkdownTable.code(in: row[0])
                return all == codes || codes.count == 1 && all.first == codes.first
            }
            #expect(same?.dropFirst() == row.dropFirst(), "\(codes)")
        }
    }

    @Test func limits() throws {
        let files = [
            "CurlTransport.Configuration":
                "Sources/LibcurlTransport/CurlTransport+Configuration.swift",
            "SessionTransport.Configuration":
                "Sources/URLSessionTransport/Session/SessionTransport+Configuration.swift",
        ]
        let table = try #require(sheet.tables.last)
        let shown = CheatSheet.defaults(shownIn: table)
        #expect(Set(shown.keys) == Set(files.keys))
        for (name, file) in files {
            let declared = CheatSheet.defaults(of: try CheatSheet.declarations(in: file))
            #expect(shown[name] == declared["Configuration"], "\(name)")
        }
    }
}
