#if AsyncHTTPClient
import Foundation
import Futures
import HTTPNetworking

extension Upload {
    /// A file, opened now and read while it is sent.
    ///
    /// May block.
    ///
    /// - Throws: What the system says where it cannot be read, or is no regular file.
    init(file url: URL) throws {
        let values = try url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
        guard values.isRegularFile == true, let size = values.fileSize else {
            throw CocoaError(.fileReadUnknown)
        }
        let file = try FileHandle(forReadingFrom: url)
        self = .stream(length: size) {
            HTTPBodyStream(length: size) {
                do {
                    let chunk = try file.read(upToCount: 65_536)
                    return Future(value: chunk?.isEmpty == false ? chunk : nil)
                } catch {
                    return Future(error: error)
                }
            }
        }
    }
}
#endif
