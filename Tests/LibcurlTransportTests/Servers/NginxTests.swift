#if os(Linux)
import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import LibcurlTransport

/// TLS and HTTP/2 through a real nginx.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct NginxTests {
    /// What listens at a port.
    private enum Listener: CaseIterable {
        case good, otherHost, expired, asksForCertificate, onlyTLS12, priorKnowledge
    }

    private struct Site {
        let certificates: Certificates
        let ports: [Listener: UInt16]
        let program: Program

        func url(_ listener: Listener, host: String = "127.0.0.1") throws -> URL {
            let scheme = listener == .priorKnowledge ? "http" : "https"
            return try #require(URL(string: "\(scheme)://\(host):\(ports[listener] ?? 0)/"))
        }

        func transport(
            _ adjust: (inout ConnectionSettings) throws -> Void = { _ in }
        ) throws -> CurlTransport {
            try CurlTransport.connecting { settings in
                settings.proxy = .none
                settings.tls.authorities = .only(certificates.file("authority.pem"))
                try adjust(&settings)
            }
        }
    }

    /// Starts nginx; nil where it is not installed, and need not be.
    private func start() async throws -> Site? {
        guard let nginx = try Program.find("nginx", of: "nginx-light"),
            let certificates = try Certificates(in: TestFolder())
        else { return nil }
        try certificates.make("good", for: "DNS:localhost,IP:127.0.0.1,IP:::1")
        try certificates.make("other", for: "DNS:other.test")
        try certificates.make("expired", for: "IP:127.0.0.1", days: -1)
        try certificates.make("client", for: "DNS:client")
        var ports: [Listener: UInt16] = [:]
        for listener in Listener.allCases { ports[listener] = try Program.freePort() }
        let file = certificates.file("nginx.conf")
        try Data(configuration(certificates, ports).utf8).write(to: file)
        let folder = certificates.folder.url
        let program = try Program(nginx, ["-p", folder.path, "-c", file.path], in: folder)
        let site = Site(certificates: certificates, ports: ports, program: program)
        let transport = try site.transport()
        // It listens at all ports at once, some time after it has begun.
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if (try? await transport.get(site.url(.good)).soon) != nil { break }
        }
        return site
    }

    private func configuration(
        _ certificates: Certificates, _ ports: [Listener: UInt16]
    ) -> String {
        let folder = certificates.folder.url.path
        func server(_ listener: Listener, _ options: String, _ certificate: String?, _ more: String)
            -> String
        {
            let port = ports[listener] ?? 0
            let keys = certificate.map {
                "ssl_certificate \(folder)/\($0).pem; ssl_certificate_key \(folder)/\($0).key;"
            }
            return """
                server {
                  listen 127.0.0.1:\(port) \(options); listen [::1]:\(port) \(options);
                  \(keys ?? "") \(more)
                  location / { return 200 "$server_protocol $ssl_protocol $ssl_client_verify"; }
                }

                """
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/\($0);"
        }
        return """
            daemon off; master_process off; worker_processes 1; pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 512; }
            http {
              access_log off; \(temporary.joined(separator: " "))
              \(server(.good, "ssl http2", "good", "ssl_protocols TLSv1.2 TLSv1.3;"))
              \(server(.otherHost, "ssl", "other", ""))
              \(server(.expired, "ssl", "expired", ""))
              \(server(
                  .asksForCertificate, "ssl", "good",
                  "ssl_client_certificate \(folder)/authority.pem; ssl_verify_client on; ssl_protocols TLSv1.3;"))
              \(server(.onlyTLS12, "ssl", "good", "ssl_protocols TLSv1.2;"))
              \(server(.priorKnowledge, "http2", nil, ""))
            }
            """
    }

    /// What the certificate of a listener makes a transport say.
    private func refusal(_ site: Site, _ listener: Listener) async throws -> String? {
        let error = try await site.transport().get(site.url(listener)).httpError
        #expect(error.code == .insecureConnection)
        return error.reason
    }

    @Test func certificatesAreChecked() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let system = try await CurlTransport.connecting { $0.proxy = .none }
            .get(site.url(.good)).httpError
        #expect(system.code == .insecureConnection)
        #expect(system.reason == "the certificate's authority is unknown")
        #expect(try await refusal(site, .otherHost) == "the certificate is for another host")
        #expect(try await refusal(site, .expired) == "the certificate has expired")
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            let response = try await site.transport().get(site.url(.good, host: host)).soon
            #expect(response.text == "HTTP/2.0 TLSv1.3 NONE")
            #expect(response.timing.connection?.untilSecure != nil)
        }
        let lax = try site.transport { $0.tls.verification = .authorityOnly }
        #expect(try await lax.get(site.url(.otherHost)).soon.status == 200)
        #expect(try await lax.get(site.url(.expired)).httpError.code == .insecureConnection)
        let blind = try site.transport { $0.tls.verification = .none }
        #expect(try await blind.get(site.url(.expired)).soon.status == 200)
        let both = try site.transport {
            $0.tls.authorities = .systemAnd(site.certificates.file("authority.pem"))
        }
        #expect(try await both.get(site.url(.good)).soon.status == 200)
    }

    @Test func aServerMayAskWhoCalls() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let url = try site.url(.asksForCertificate)
        #expect(try await site.transport().get(url).soon.status == 400)
        let known = try site.transport {
            $0.tls.clientCertificate = .init(
                chain: site.certificates.file("client.pem"),
                privateKey: site.certificates.file("client.key"))
        }
        #expect(try await known.get(url).soon.text == "HTTP/1.1 TLSv1.3 SUCCESS")
    }

    @Test func keysArePinned() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let good = try #require(try site.certificates.pin(of: "good"))
        let other = try #require(try site.certificates.pin(of: "other"))
        for pins in [[good], [other, good]] {
            let transport = try site.transport { $0.tls.pinnedKeys = pins }
            #expect(try await transport.get(site.url(.good)).soon.status == 200)
        }
        let wrong = try site.transport { $0.tls.pinnedKeys = [other] }
        let error = try await wrong.get(site.url(.good)).httpError
        #expect(error.code == .insecureConnection)
        #expect(error.reason == "the server's key is none of those that are pinned")
    }

    @Test func theOldestVersionIsKept() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let url = try site.url(.onlyTLS12)
        #expect(try await site.transport().get(url).soon.text == "HTTP/1.1 TLSv1.2 NONE")
        let strict = try site.transport { $0.tls.minimumVersion = .tls13 }
        #expect(try await strict.get(url).httpError.code == .insecureConnection)
    }

    @Test func aHundredCallsShareAnHTTP2Connection() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let transport = try site.transport()
        let url = try site.url(.good)
        let calls = (0..<100).map { _ in transport.get(url) }
        var made = 0
        for call in calls {
            let response = try await call.soon
            #expect(response.text.hasPrefix("HTTP/2.0"))
            #expect(response.timing.connection?.protocolVersion == "HTTP/2")
            if response.timing.connection?.isReused == false { made += 1 }
        }
        #expect(made == 1)
        let old = try site.transport { $0.versions = .http1 }
        #expect(try await old.get(url).soon.text.hasPrefix("HTTP/1.1"))
    }

    @Test func whatIsKnownToSpeakHTTP2NeedsNoTLS() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let url = try site.url(.priorKnowledge)
        let transport = try site.transport { $0.versions = .http2 }
        // libcurl 7.88 fails the second one where it keeps the connection.
        var calls = [transport.get(url)]
        _ = try await calls[0].soon
        calls += (0..<20).map { _ in transport.get(url) }
        for call in calls {
            let response = try await call.soon
            #expect(response.text.hasPrefix("HTTP/2.0"))
            #expect(response.timing.connection?.protocolVersion == "HTTP/2")
        }
    }
}
#endif
