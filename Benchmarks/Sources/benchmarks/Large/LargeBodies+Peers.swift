import Foundation

#if Peers
import AsyncHTTPClient
import PledgeAsyncHTTPClientTransport
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
#endif

extension LargeBodies {
    /// The ways of AsyncHTTPClient, alone and below Pledge.
    var peers: [Way] {
        #if Peers
        [
            Way(name: "AsyncHTTPClient") { url, file in
                let client = HTTPClient()
                try? FileManager.default.removeItem(at: file)
                let delegate = try FileDownloadDelegate(path: file.path)
                _ = try await client.execute(
                    request: HTTPClient.Request(url: url.absoluteString), delegate: delegate
                ).get()
                try await client.shutdown()
            },
            Way(name: "AHCTransport") { url, file in
                let transport = AHCTransport()
                let request = HTTPRequest(.get, url)
                _ = try await download(request, to: file, over: transport.stream).value
                try await transport.close().value
            },
        ]
        #else
        []
        #endif
    }
}
