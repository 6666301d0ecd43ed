import Foundation
import HTTPNetworking

/// A body in a form that URLSession sends well, and may send a second time.
enum UploadBody {
    case none
    case data(Data)
    /// A regular file; the second is released, and thereby removed, when the exchange is over.
    case file(URL, TemporaryFile?)

    var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// Makes a body of a file.
    ///
    /// URLSession on Linux takes the length of a link for that of its file, and waits forever for what
    /// it cannot read, and where there is nothing to read.
    ///
    /// - Throws: `HTTPError` where the file cannot be read.
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
