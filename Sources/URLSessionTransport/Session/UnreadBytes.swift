#if canImport(FoundationNetworking)
import Foundation

/// Bytes that wait for a reader: the first ones in memory, up to a limit, the rest in a file.
struct UnreadBytes {
    private let limit: Int
    private let folder: URL
    private var pieces: [Data] = []
    /// The index of the first unread piece.
    private var first = 0
    /// The number of bytes in the pieces.
    private(set) var countInMemory = 0
    /// The bytes after the pieces; nil if no bytes had to be written to a file.
    private var file: UnlinkedFile?

    /// - Parameters:
    ///   - limit: The maximum number of bytes kept in memory.
    ///   - folder: The folder of the file.
    init(limit: Int, folder: URL) {
        self.limit = limit
        self.folder = folder
    }

    /// Appends bytes.
    ///
    /// - Throws: `FileError` if the bytes do not fit into memory and the file cannot be written.
    mutating func append(_ data: Data) throws {
        let isFileEmpty = file?.isEmpty ?? true
        guard !isFileEmpty || data.count > limit - countInMemory else {
            pieces.append(data)
            countInMemory += data.count
            return
        }
        let file = try file ?? UnlinkedFile(in: folder)
        self.file = file
        try file.append(data)
    }

    /// Removes and returns the next bytes; nil if there are none.
    ///
    /// - Throws: `FileError` if the file cannot be read.
    mutating func next() throws -> Data? {
        guard first < pieces.count else { return try file?.next(upTo: 65_536) }
        let piece = pieces[first]
        pieces[first] = Data()
        countInMemory -= piece.count
        first += 1
        // Amortised constant time: the array is moved when half of it has been read.
        if first == pieces.count || first > 32 && 2 * first > pieces.count {
            pieces.removeFirst(first)
            first = 0
        }
        return piece
    }

    /// Removes all bytes, so that the caller can release them.
    mutating func takeAll() -> UnreadBytes {
        defer { self = UnreadBytes(limit: limit, folder: folder) }
        return self
    }
}

extension UnreadBytes: Sendable {}
#endif
