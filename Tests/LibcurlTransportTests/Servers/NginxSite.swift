#if os(Linux)
import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import LibcurlTransport

/// A real nginx with certificates of a test's own.
struct NginxSite: SecureSite {
    /// The kind of server at a port.
    enum Listener: CaseIterable {
        case good, otherHost, expired, asksForCertificate, onlyTLS12, priorKnowledge, leavesOften
    }

    let certificates: Certificates
    let ports: [Listener: UInt16]
    let program: Program

    func url(_ listener: Listener, host: String = "127.0.0.1") throws -> URL {
        let scheme = listener == .priorKnowledge ? "http" : "https"
        return try #require(URL(string: "\(scheme)://\(host):\(ports[listener] ?? 0)/"))
    }

    /// Starts nginx; nil if it is not installed, and is not required.
    static func start() async throws -> NginxSite? {
        guard let nginx = try Program.find("nginx", of: "nginx-light"),
            let certificates = try Certificates(in: TestFolder())
        else { return nil }
        try certificates.make("good", for: "DNS:localhost,IP:127.0.0.1,IP:::1")
        try certificates.make("other", for: "DNS:other.test")
        try certificates.make("expired", for: "IP:127.0.0.1", days: -1)
        try certificates.make("client", for: "DNS:client")
        return try await Program.serving {
            var ports: [Listener: UInt16] = [:]
            for listener in Listener.allCases { ports[listener] = try Program.freePort() }
            let file = certificates.file("nginx.conf")
            try Data(configuration(certificates, ports).utf8).write(to: file)
            let folder = certificates.folder.url
            let program = try Program(nginx, ["-p", folder.path, "-c", file.path], in: folder)
            return NginxSite(certificates: certificates, ports: ports, program: program)
        }
    }

    /// It listens at all ports from the same moment on.
    func answers() async -> Bool {
        (try? await transport().get(url(.good)).soon) != nil
    }

    private static func configuration(
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
                  location /large { root \(folder); }
                  location /by { return 200 "[$http_via$http_proxy_authorization]"; }
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
              \(server(.leavesOften, "ssl http2", "good", "keepalive_requests 50;"))
            }
            """
    }
}
#endif
