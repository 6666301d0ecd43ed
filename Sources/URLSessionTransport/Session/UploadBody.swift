import Foundation
import PledgeHTTPNetworking

/// A body in a form that URLSession sends correctly, and can send a second time.
enum UploadBody {
    case none
    case data(Data)
    /// A regular file; the `TemporaryFile` is released, and so removed, when the exchange is over.
    case file(URL, TemporaryFile?)

    var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// Makes a body of a file.
    ///
    /// The file is checked first: URLSession on Linux takes the length of a symbolic link for the length of
    /// its file, and waits forever for a file that it cannot read, or that is empty.
    ///
    /// - Throws: `HTTPError` if the file cannot be read.
    static func file(at url: URL) throws -> UploadBody {
        let file = url.resolvingSymlinksInPath()
        do {
            let handle = try FileHandle(forReadingFrom: file)
            try handle.close()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw CocoaError(.fileReadUnsupportedScheme)
            }
            if (attributes[.size] as? NSNumber)?.int64Value == 0 { return .data(Data()) }
        } catch {
            throw HTTPError.unreadable(file, cause: error)
        }
        return .file(file, nil)
    }
}

extension UploadBody: Sendable {}
