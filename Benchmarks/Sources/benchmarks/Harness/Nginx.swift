import Foundation

/// An nginx on 127.0.0.1, started on first use and stopped when the program ends.
///
/// It answers every request with status 200 and 12 bytes: over HTTP/1.1, and at ``secureURL`` over HTTP/2 with TLS.
struct Nginx {
    let url: URL
    let secureURL: URL
    /// The certificate of ``secureURL``, in PEM.
    let certificate: URL

    /// The running server; nil if there is no nginx or no openssl.
    static let shared: Nginx? = {
        do {
            return try start()
        } catch {
            return nil
        }
    }()

    /// Returns the reason why a case that needs nginx can't be measured; nil if it can.
    @Sendable
    static func obstacle() -> String? {
        shared == nil ? "nginx or openssl was not found, or does not start" : nil
    }

    private static let lifeline = Pipe()

    private static func start() throws -> Nginx? {
        guard let program = findProgram("nginx"), let openssl = findProgram("openssl") else {
            return nil
        }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "nginx-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appending(path: "certificate.pem")
        try makeCertificate(certificate, key: folder.appending(path: "key.pem"), openssl)
        let ports = try freePorts(2)
        let file = folder.appending(path: "nginx.conf")
        try Data(configuration(ports, folder.path).utf8).write(to: file)
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/bin/sh")
        // However this program ends, the pipe closes, and so `cat` ends. Only SIGKILL stops nginx, because nginx has
        // inherited blocked signals.
        let command = "\"$0\" -p \"$1\" -c \"$1/nginx.conf\" -e \"$1/errors\" & cat; kill -9 $!"
        server.arguments = ["-c", command, program.path, folder.path]
        server.standardInput = lifeline
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        let url = URL(string: "http://127.0.0.1:\(ports[0])/products/7")!
        let secureURL = URL(string: "https://127.0.0.1:\(ports[1])/products/7")!
        guard waitForServer(ports[1]) else { return nil }
        return Nginx(url: url, secureURL: secureURL, certificate: certificate)
    }

    private static func makeCertificate(_ certificate: URL, key: URL, _ openssl: URL) throws {
        let request = Process()
        request.executableURL = openssl
        request.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key.path, "-out", certificate.path,
        ]
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()
    }

    private static func configuration(_ ports: [UInt16], _ folder: String) -> String {
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/\($0);"
        }.joined(separator: " ")
        return """
            daemon off; master_process off; worker_processes 1;
            pid \(folder)/pid; error_log \(folder)/errors;
            events { worker_connections 1024; }
            http {
                access_log off; keepalive_requests 1000000000; \(folders)
                server {
                    listen 127.0.0.1:\(ports[0]);
                    location / { return 200 "hello, world"; }
                }
                server {
                    listen 127.0.0.1:\(ports[1]) ssl http2;
                    ssl_certificate \(folder)/certificate.pem;
                    ssl_certificate_key \(folder)/key.pem;
                    location / { return 200 "hello, world"; }
                }
            }
            """
    }
}
