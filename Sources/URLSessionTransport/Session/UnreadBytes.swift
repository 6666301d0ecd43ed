#if canImport(FoundationNetworking)
import Foundation

/// Bytes that wait for a reader: in memory as long as they are few, those behind them in a file.
struct UnreadBytes {
    private let limit: Int
    private let folder: URL
    private var pieces: [Data] = []
    /// The first of the pieces that is not read.
    private var first = 0
    /// How many bytes the pieces have.
    private(set) var countInMemory = 0
    /// What comes after the pieces; nil where nothing had to go there.
    private var file: UnlinkedFile?

    /// - Parameters:
    ///   - limit: How many bytes are kept in memory.
    ///   - folder: Where the file is made.
    init(limit: Int, folder: URL) {
        self.limit = limit
        self.folder = folder
    }

    /// Puts bytes behind the others.
    ///
    /// - Throws: `FileError` where they do not fit into memory, and the file cannot be written.
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

    /// Takes the bytes that come next, nil where there are none.
    ///
    /// - Throws: `FileError` where the file cannot be read.
    mutating func next() throws -> Data? {
        guard first < pieces.count else { return try file?.next(upTo: 65_536) }
        let piece = pieces[first]
        pieces[first] = Data()
        countInMemory -= piece.count
        first += 1
        // Constant time, amortised: the array is moved when half of it is read.
        if first == pieces.count || first > 32 && 2 * first > pieces.count {
            pieces.removeFirst(first)
            first = 0
        }
        return piece
    }

    /// Takes all, to be released.
    mutating func takeAll() -> UnreadBytes {
        defer { self = UnreadBytes(limit: limit, folder: folder) }
        return self
    }
}

extension UnreadBytes: Sendable {}
#endif
