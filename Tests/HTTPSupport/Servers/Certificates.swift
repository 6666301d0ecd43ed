#if os(Linux)
package import Foundation
package import PledgeHTTPTransportKit

/// Keys and certificates that are made for each test.
package struct Certificates {
    package let folder: TestFolder
    private let openssl: URL
    // A key of RSA takes a tenth of a second of processor time to make.
    private let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"

    /// Makes an authority; nil if openssl is not installed.
    package init?(in folder: TestFolder) throws {
        guard let openssl = try Program.find("openssl", of: "openssl") else { return nil }
        self.openssl = openssl
        self.folder = folder
        try run(
            "req -x509 \(newKey) -keyout authority.key -out authority.pem -days 2"
                + " -subj /CN=Authority")
    }

    package func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    /// Makes NAME.pem and NAME.key, for some hosts.
    package func make(_ name: String, for hosts: String, days: Int = 2) throws {
        try Data("subjectAltName=\(hosts)\n".utf8).write(to: file("\(name).txt"))
        try run(
            "req \(newKey) -keyout \(name).key -out \(name).csr -subj /CN=\(name)")
        try run(
            "x509 -req -in \(name).csr -CA authority.pem -CAkey authority.key -CAcreateserial"
                + " -out \(name).pem -days \(days) -extfile \(name).txt")
    }

    /// Makes NAME.p12 of NAME.pem and NAME.key.
    package func makeBundle(of name: String, password: String) throws -> URL {
        try run(
            "pkcs12 -export -in \(name).pem -inkey \(name).key -out \(name).p12"
                + " -passout pass:\(password)")
        return file("\(name).p12")
    }

    /// The hash of the public key of NAME.pem.
    package func pin(of name: String) throws -> PinnedKey? {
        try run("x509 -in \(name).pem -pubkey -noout -out \(name).pub")
        try run("pkey -pubin -in \(name).pub -outform der -out \(name).der")
        try run("dgst -sha256 -binary -out \(name).hash \(name).der")
        return PinnedKey(sha256: try Data(contentsOf: file("\(name).hash")).base64EncodedString())
    }

    private func run(_ arguments: String) throws {
        try Program.run(openssl, arguments.split(separator: " ").map(String.init), in: folder.url)
    }
}

/// A server whose certificate the authority of a test has issued.
package protocol SecureSite: ServingProgram {
    var certificates: Certificates { get }
}

extension SecureSite {
    /// Settings that trust that authority alone, and use no proxy.
    package var settings: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.proxy = .none
        settings.tls.authorities = .only(certificates.file("authority.pem"))
        return settings
    }
}
#endif
