#if os(Linux)
package import Foundation
import TestSupport

/// A real nginx with certificates of a test's own.
package struct NginxSite: SecureSite {
    /// The kind of server at a port.
    package enum Listener: CaseIterable {
        case good, otherHost, expired, asksForCertificate, onlyTLS12, priorKnowledge, leavesOften
        case leavesAfterTen, oneStream
    }

    package let certificates: Certificates
    private let ports: [Listener: UInt16]
    package let program: Program
    private let nginx: URL
    private let hasMaster: Bool

    package func url(_ listener: Listener, host: String = "127.0.0.1") throws -> URL {
        let scheme = listener == .priorKnowledge ? "http" : "https"
        return URL(string: "\(scheme)://\(host):\(ports[listener] ?? 0)/")!
    }

    /// Starts nginx; nil if it is not installed, and is not required.
    ///
    /// - Parameter hasMaster: Whether a process of its own restarts the others when it is reloaded.
    package static func start(hasMaster: Bool = false) async throws -> NginxSite? {
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
            try Data(configuration(certificates, ports, hasMaster).utf8).write(to: file)
            let folder = certificates.folder.url
            let program = try Program(nginx, ["-p", folder.path, "-c", file.path], in: folder)
            return NginxSite(
                certificates: certificates, ports: ports, program: program, nginx: nginx,
                hasMaster: hasMaster)
        }
    }

    /// It listens at all ports from the same moment on.
    package func answers() async -> Bool {
        // Written when it listens.
        let number = try? String(contentsOf: certificates.file("nginx.pid"), encoding: .utf8)
        return number?.isEmpty == false
    }

    /// Has it read its configuration again: new processes take the next connections, and the old ones leave after
    /// the requests that they have taken.
    package func reload() throws { try signal("reload") }

    /// Ends it and all of its processes.
    package func stop() {
        if hasMaster, (try? signal("stop")) != nil { program.wait() }
        program.stop()
    }

    private func signal(_ name: String) throws {
        let folder = certificates.folder.url
        let file = certificates.file("nginx.conf").path
        try Program.run(
            nginx, ["-p", folder.path, "-c", file, "-s", name], in: folder, to: "signals.txt")
    }

    /// The method and the query of each answered request to /counted, in order.
    package func counted() throws -> [String] {
        let text = try String(contentsOf: certificates.file("counted.log"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    private static func configuration(
        _ certificates: Certificates, _ ports: [Listener: UInt16], _ hasMaster: Bool
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
                  location /counted { access_log \(folder)/counted.log counted; return 200 "counted"; }
                  location /large { root \(folder); }
                  location ~ ^/to/(\\d+)$ { proxy_pass http://127.0.0.1:$1; }
                  location /by { return 200 "[$http_via$http_proxy_authorization]"; }
                }

                """
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/\($0);"
        }
        // A process that root starts would go on as a user who may not read the folder.
        let user = hasMaster && getuid() == 0 ? "user root root;" : ""
        return """
            daemon off; master_process \(hasMaster ? "on" : "off"); worker_processes 1; \(user) pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 512; }
            http {
              log_format counted '$request_method $args'; 
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
              \(server(.leavesAfterTen, "ssl http2", "good", "keepalive_requests 10;"))
              \(server(.oneStream, "ssl http2", "good", "http2_max_concurrent_streams 1;"))
            }
            """
    }
}
#endif
