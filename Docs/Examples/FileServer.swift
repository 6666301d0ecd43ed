import Foundation
import HTTPTestSupport
import Pledge
import TestSupport

/// A server of one file, and of one upload by tus 1.0.
final class FileServer: HTTPTransport {
    private let files: RangeServer
    private let uploaded = Locked(Data())

    init(_ content: Data) { files = RangeServer(content) }

    var content: Data { files.content }
    var upload: Data { uploaded.withLock { $0 } }
    /// The ranges that were asked for.
    var ranges: [String?] { files.ranges }

    /// Sends chunks of a size, in bytes.
    func send(inChunksOf size: Int) { files.send(inChunksOf: size) }

    /// Loses the connection of the next answer after a number of bytes.
    func lose(after bytes: Int) { files.lose(after: [bytes]) }

    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> { files.answer(request) }

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        if request.method == .post {
            return Future(value: HTTPResponse(status: 201, headers: ["Location": "/files/1"]))
        }
        return Future(value: request).flatMap { try $0.body.open().collected(upTo: 1 << 20) }
            .map { body in
                let size = self.uploaded.withLock { data in
                    data += body
                    return data.count
                }
                return HTTPResponse(status: 204, headers: ["Upload-Offset": "\(size)"])
            }
    }
}

/// A folder of a test, removed when this object is released.
final class ExampleFolder: Sendable {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }
}
