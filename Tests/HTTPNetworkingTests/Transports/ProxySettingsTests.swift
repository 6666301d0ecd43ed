import Foundation
import PledgeHTTPNetworking
import Testing

struct ProxySettingsTests {
    private func server(_ settings: ProxySettings) throws -> ProxySettings.Server {
        guard case .server(let server) = settings.kind else {
            throw CocoaError(.featureUnsupported)
        }
        return server
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func takesWhoWeAreOutOfTheURL() throws {
        let settings = ProxySettings.server(try url("http://me:s%40cret@proxy:3128/"))
        let server = try server(settings)
        #expect(server.url == "http://proxy:3128/")
        #expect(server.user == "me")
        #expect(server.password == "s@cret")
        #expect(server.bypassed.isEmpty)
    }

    @Test func prefersWhatIsSaidBesideTheURL() throws {
        let settings = ProxySettings.server(
            try url("http://me:secret@proxy"), user: "you", password: "other",
            bypassing: ["a", "b"])
        let server = try server(settings)
        #expect(server.user == "you")
        #expect(server.password == "other")
        #expect(server.bypassed == ["a", "b"])
    }

    @Test func neverShowsWhoWeAre() throws {
        let all = [
            ProxySettings.server(try url("http://planted-user:planted-secret@proxy:1")),
            .server(try url("http://proxy:1"), user: "planted-user", password: "planted-secret"),
        ]
        for settings in all {
            var dumped = ""
            dump(settings, to: &dumped)
            var settingsOfAll = ConnectionSettings()
            settingsOfAll.proxy = settings
            for text in ["\(settings)", String(reflecting: settings), dumped, "\(settingsOfAll)"] {
                #expect(text.contains("http://proxy:1"))
                #expect(!text.contains("planted"))
            }
        }
    }

    @Test func describesTheOthers() {
        #expect("\(ProxySettings.environment)" == "the proxy of the environment")
        #expect("\(ProxySettings.none)" == "no proxy")
        #expect(ConnectionSettings().proxy == .environment)
    }

    @Test func aClientCertificateNeverShowsItsPassword() {
        let certificate = TLSSettings.ClientCertificate(
            chain: URL(fileURLWithPath: "/a.pem"), privateKey: URL(fileURLWithPath: "/b.pem"),
            password: "planted-secret")
        var dumped = ""
        dump(certificate, to: &dumped)
        var settings = TLSSettings()
        settings.clientCertificate = certificate
        for text in ["\(certificate)", String(reflecting: certificate), dumped, "\(settings)"] {
            #expect(text.contains("/a.pem"))
            #expect(!text.contains("planted"))
        }
    }
}
