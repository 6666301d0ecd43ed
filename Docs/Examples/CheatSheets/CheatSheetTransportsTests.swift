import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

/// The section Transports of Docs/Guides/CheatSheet.md says which settings a transport keeps.
@Suite(.oneAtATime)
struct CheatSheetTransportsTests {
    private let sheet: CheatSheet
    private let settings: MarkdownTable

    init() throws {
        sheet = try CheatSheet(section: "Transports")
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
        "tls.authorities": {
            $0.tls.authorities = .systemAnd($1.appending(path: "authority.pem"))
        },
        "tls.minimumVersion": { settings, _ in settings.tls.minimumVersion = .tls13 },
        "tls.clientCertificate": {
            let file = $1.appending(path: "authority.pem")
            $0.tls.clientCertificate = .init(chain: file, privateKey: file)
        },
        "tls.clientCertificate, pkcs12": {
            $0.tls.clientCertificate = .init(
                pkcs12: $1.appending(path: "client.p12"), password: "planted-word")
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
        "waitsForConnectivity, allowsExpensiveNetworks, allowsConstrainedNetworks": { settings, _ in
            settings.waitsForConnectivity = true
            settings.allowsExpensiveNetworks = false
            settings.allowsConstrainedNetworks = false
        },
    ]

    /// A certificate, and the same with its private key.
    private let files: [String: Data?] = [
        "authority.pem": Data(
            """
            -----BEGIN CERTIFICATE-----
            MIIBbjCCARWgAwIBAgIULbLtvNgovpAd+9j8vmN+8LKtvEgwCgYIKoZIzj0EAwIw
            DDEKMAgGA1UEAwwBYzAgFw0yNjExMjYyMTM4NTNaGA8yMTI2MTEwMjIxMzg1M1ow
            DDEKMAgGA1UEAwwBYzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHOtyYQFLuGd
            5mkmqyqDOh6lDerp8e1TlQ6+YzCSFXHoNMjOZkk9uwkjvfsfK1ZtiR8X9Plsrg+l
            XAk3loKlO9OjUzBRMB0GA1UdDgQWBBTlzpmIQV3LQbv516haWBinTmcKyjAfBgNV
            HSMEGDAWgBTlzpmIQV3LQbv516haWBinTmcKyjAPBgNVHRMBAf8EBTADAQH/MAoG
            CCqGSM49BAMCA0cAMEQCICwhaXfc3TLVSFJAxzzKaLFS5sbPAOutUB6lvxi0RD9W
            AiBfbB4CgFTN0iRVJP3wSW/NOtVtO4dCgGKomPJYaJk7xA==
            -----END CERTIFICATE-----
            """.utf8),
        "client.p12": Data(
            base64Encoded: """
                MIIDcgIBAzCCAzgGCSqGSIb3DQEHAaCCAykEggMlMIIDITCCAhcGCSqGSIb3DQEHBqCCAggwggIE\
                AgEAMIIB/QYJKoZIhvcNAQcBMBwGCiqGSIb3DQEMAQYwDgQIPAJZ4KkNoaACAggAgIIB0Fi/C/6X\
                b8+0fm5u5kOOxn8Q5yuD/KNpRcBNj0/LGFnj70bkvvQdELwR2D5QC68kuEVWNxOTpH5qovLCc54/\
                Q0YfzjonMyA7VOEkiq7QOKt8mmBT/cG96/SD0lj9fOsGxekwDpFz1H6BQWjOQY7RjYhPxG5kgK+v\
                38eroduBEYapHvmc8wQIYEkIwfNzWLFFNA1mKXIvWdeiuvm5Rl6gMzm7kg97en8Bpil/UqPpFMQ9\
                Z7tFUbOGgO/rhg8qf+++AFDzlLHH7Rp92Wrc2jpeSQBrKGqyshg9DRCfV9AbWEpG+yxgSD8GsVMK\
                pMWeCwt4l/7tMsnSahJJWRgj5WzFdw2l7MmY3PNcdBwKWKTsKSvrxvENV6XjQeTJcpP/hPP6UuVv\
                7+5MDXtLqz+xAL0m9e26Z/ysnDN5f+b3NSLMHdrH60xx05I8rJt03UJ/XPf1HraNdJAtuRF/ZEiX\
                9pvK/c2apK2znQLQhMoZvgVJZBDIMLA/z6NtatyVPndlmL0BTINg710qsZPPe3P3B3mDORNG5+ux\
                NEhVEjm02+tUJPeeA8ZLEgswFfZ45zxgfcY8GagcWv2tDE4/jgvSzcIZX78Wx0ZkIQTgmKQ+KRKP\
                iYy8MIIBAgYJKoZIhvcNAQcBoIH0BIHxMIHuMIHrBgsqhkiG9w0BDAoBAqCBtDCBsTAcBgoqhkiG\
                9w0BDAEDMA4ECAdglggpQavIAgIIAASBkJOlbOZHw0aUf5axHFzzbGs7y9MQpwCfq4xdV2+aiQYK\
                yMaBxCu3v9DEEv18SGxTyiJoy5Yjy2jkkXMezqfcd7EuZOFTo+aBQEVEhjzqAqXNHqie8CkGiIYR\
                Fm4cpA5p3ZUKbWztUCeTjL0YYL4bRo+JY/+JOXclObYgVRxWKyiojOVQHvGpzamwLUYOJGMnCTEl\
                MCMGCSqGSIb3DQEJFTEWBBTWtf5i87FPyY/cDTb7lCIrg2DicTAxMCEwCQYFKw4DAhoFAAQUtDDp\
                fYEvhHIKENrxLUaaBHsKAYYECOmeRwaamwEvAgIIAA==
                """),
    ]

    private func isRefused(_ make: () throws -> Void) throws -> Bool {
        do { try make() } catch is UnsupportedSetting { return true }
        return false
    }

    @Test func transportsKeepWhatTheSheetSays() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, data) in files {
            try #require(data).write(to: folder.appending(path: name))
        }
        let rows = zip(settings["Setting"], zip(settings["`CurlTransport`"], settings[session]))
        for (setting, (curl, session)) in rows {
            let name = MarkdownTable.code(in: setting).joined(separator: ", ")
            var connecting = ConnectionSettings()
            let change = try #require(changes[name], "\(name)")
            change(&connecting, folder)
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
            CheatSheet(page: "ProxiesAndTLS").tables.first { $0.columns.first == "Setting" })
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
                "Sources/LibcurlTransport/CurlTransport.swift",
            "SessionTransport.Configuration":
                "Sources/URLSessionTransport/SessionTransport.swift",
        ]
        let table = try #require(sheet.tables.last)
        let shown = CheatSheet.defaults(shownIn: table)
        #expect(Set(shown.keys) == Set(files.keys))
        for (name, file) in files {
            let declared = CheatSheet.defaults(of: try CheatSheet.declarations(in: file))
            #expect(shown[name] == declared["Configuration"], "\(name)")
        }
    }

    @Test func aLimitOfTwoTransportsHasOneDefault() {
        let (curl, session) = (CurlTransport.Configuration(), SessionTransport.Configuration())
        #expect(curl.idleTimeout == session.idleTimeout)
        #expect(curl.maxBodySize == session.maxBodySize)
        #expect(curl.maxConnectionsPerHost == session.maxConnectionsPerHost)
    }
}
