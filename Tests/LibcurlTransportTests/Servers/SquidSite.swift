#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// A real squid, which requires a name and a password.
struct SquidSite: ServingProgram {
    let folder: TestFolder
    let proxy: URL
    let program: Program

    func transport(
        user: String? = "planted-user", password: String? = "planted-secret",
        bypassing bypassed: [String] = []
    ) throws -> CurlTransport {
        try CurlTransport.connecting {
            $0.proxy = .server(proxy, user: user, password: password, bypassing: bypassed)
        }
    }

    /// The log of the exchanges that have ended.
    func log() throws -> String {
        let file = folder.url.appendingPathComponent("access.log")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Starts squid; nil if it is not installed, and is not required.
    static func start() async throws -> SquidSite? {
        guard let squid = try Program.find("squid", of: "squid"),
            let ask = try Program.find("basic_ncsa_auth", of: "squid"),
            let openssl = try Program.find("openssl", of: "openssl")
        else { return nil }
        let folder = try TestFolder()
        // If it is started as root, squid continues as another user.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        try Program.run(openssl, ["passwd", "-apr1", "planted-secret"], in: folder.url)
        let hash = try String(
            contentsOf: folder.url.appendingPathComponent("output.txt"), encoding: .utf8)
        let users = try folder.file("users", Data("planted-user:\(hash)".utf8))
        return try await Program.serving {
            let port = try Program.freePort()
            let file = try folder.file(
                "squid.conf", Data(configuration(port, folder, users, ask).utf8))
            let program = try Program(squid, ["-N", "-f", file.path], in: folder.url)
            let proxy = try #require(URL(string: "http://127.0.0.1:\(port)"))
            return SquidSite(folder: folder, proxy: proxy, program: program)
        }
    }

    func answers() async -> Bool {
        guard let server = try? LoopbackServer(answering: { _ in .text("ok") }) else {
            return false
        }
        return (try? await transport().get(server).soon.status) == 200
    }

    private static func configuration(
        _ port: UInt16, _ folder: TestFolder, _ users: URL, _ ask: URL
    ) -> String {
        """
        http_port 127.0.0.1:\(port)
        auth_param basic program \(ask.path) \(users.path)
        auth_param basic children 1
        acl known proxy_auth REQUIRED
        http_access allow known
        http_access deny all
        cache deny all
        access_log stdio:\(folder.url.path)/access.log
        cache_log \(folder.url.path)/cache.log
        pid_filename \(folder.url.path)/squid.pid
        coredump_dir \(folder.url.path)
        visible_hostname localhost
        shutdown_lifetime 0 seconds
        """
    }
}
#endif
