#if os(Linux)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// TLS and HTTP/2 through a real nginx.
@Suite(.oneAtATime)
struct NginxTests {
    /// What the certificate of a listener makes a transport say.
    private func refusal(
        _ site: NginxSite, _ listener: NginxSite.Listener
    ) async throws -> String? {
        let error = try await site.transport().get(site.url(listener)).httpError
        #expect(error.code == .insecureConnection)
        return error.reason
    }

    @Test func certificatesAreChecked() async throws {
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let system = try await CurlTransport.connecting { $0.proxy = .none }
            .get(site.url(.good)).httpError
        #expect(system.code == .insecureConnection)
        #expect(
            "\(system)"
                == "GET \(try site.url(.good)) failed: no secure connection could be made"
                + " (cause: the certificate's authority is unknown)")
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
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let url = try site.url(.asksForCertificate)
        #expect(try await site.transport().get(url).soon.status == 400)
        let known = try site.transport {
            $0.tls.clientCertificate = .init(
                chain: site.certificates.file("client.pem"),
                privateKey: site.certificates.file("client.key"))
        }
        #expect(try await known.get(url).soon.text == "HTTP/1.1 TLSv1.3 SUCCESS")
        let bundle = try site.certificates.makeBundle(of: "client", password: "planted-word")
        let bundled = try site.transport {
            $0.tls.clientCertificate = .init(pkcs12: bundle, password: "planted-word")
        }
        #expect(try await bundled.get(url).soon.text == "HTTP/1.1 TLSv1.3 SUCCESS")
        let locked = try site.transport {
            $0.tls.clientCertificate = .init(pkcs12: bundle, password: "planted-wrong")
        }
        let error = try await locked.get(url).httpError
        #expect(error.code == .insecureConnection)
        #expect(!error.description.contains("planted"))
    }

    @Test func aServersKeyIsPinned() async throws {
        guard let site = try await NginxSite.start() else { return }
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
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let url = try site.url(.onlyTLS12)
        #expect(try await site.transport().get(url).soon.text == "HTTP/1.1 TLSv1.2 NONE")
        let strict = try site.transport { $0.tls.minimumVersion = .tls13 }
        #expect(try await strict.get(url).httpError.code == .insecureConnection)
    }

    @Test func aHundredCallsShareAnHTTP2Connection() async throws {
        guard let site = try await NginxSite.start() else { return }
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
        guard let site = try await NginxSite.start() else { return }
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

/// What starts the servers of these tests.
@Suite(.oneAtATime) struct ProgramTests {
    /// A program that answers in its third form.
    private struct Shell: ServingProgram {
        let program: Program
        let isLast: Bool

        init(number: Int) throws {
            isLast = number == 3
            program = try Program(
                URL(fileURLWithPath: "/bin/sh"), ["-c", isLast ? "exec sleep 600" : "exit 1"],
                in: FileManager.default.temporaryDirectory)
        }

        func answers() async -> Bool { isLast }
    }

    @Test func aServerThatEndsIsStartedAgain() async throws {
        let starts = Locked(0)
        let server = try await Program.serving {
            try starts.withLock { count in
                count += 1
                return try Shell(number: count)
            }
        }
        server.program.stop()
        #expect(starts.withLock { $0 } == 3)
    }

    @Test func aServerThatEndsEachTimeIsAnError() async {
        await #expect(throws: Program.Unusable.self) {
            try await Program.serving { try Shell(number: 1) }
        }
    }
}
#endif
