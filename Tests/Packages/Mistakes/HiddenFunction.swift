// snippet: hidden
import Foundation
import Pledge

struct Films {
    let client: HTTPClient
    let folder: URL

    func download(_ film: URL) -> Future<HTTPDownload> {
        download(
            HTTPRequest(film), to: folder.appending(path: film.lastPathComponent),
            over: client.futures.stream)
    }
}
// error: use of 'download' refers to instance method rather than global function 'download(_:to:over:accepting:limit:sha256:resuming:parts:progress:random:on:)' in module 'PledgeHTTPBodies'
// end snippet
