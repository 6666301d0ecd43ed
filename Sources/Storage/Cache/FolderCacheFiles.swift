import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit

// The names and contents of a cache's files.

extension FolderCacheStore {
    static func newKey() -> [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }

    /// Returns the folder's key, or stores the new one if there is none; nil if another process is just writing one.
    static func key(
        of folder: any StorageFolder, orNew new: [UInt8]
    ) throws(FileError) -> [UInt8]? {
        // The key's file is replaced as a whole, so reading it takes no lock, which another process may hold for long.
        if let known = try knownKey(of: folder) { return known }
        var key: [UInt8]?
        try folder.withLockNow { () throws(FileError) in
            key = try knownKey(of: folder)
            if key != nil { return }
            try write(key: new, to: folder)
            key = new
        }
        return key
    }

    static func knownKey(of folder: any StorageFolder) throws(FileError) -> [UInt8]? {
        let found: [UInt8]?
        do {
            found = try folder.read(keyName, upTo: 1 << 10)?.bytes
        } catch  where error.isOfLargeFile {
            return nil
        }
        guard let found, let known = CachedResponse.opened(found, as: keyFormat), known.count == 32
        else { return nil }
        return Array(known)
    }

    static func write(key: [UInt8], to folder: any StorageFolder) throws(FileError) {
        try folder.replace(
            keyName, with: CachedResponse.sealed(key, as: keyFormat), by: partName("key"),
            at: now())
    }

    // The files that don't belong to a URL; nobody else uses such names.
    static let keyName = ".pledge-cache-key"
    static let usageName = ".pledge-cache-usage"

    static func partName(_ name: String) -> String { ".pledge-cache-\(name).part" }

    static func isPart(_ name: String) -> Bool {
        name.hasPrefix(".pledge-cache-") && name.hasSuffix(".part")
    }

    static let keyFormat = Array("PLDG-K1\n".utf8)
    static let usageFormat = Array("PLDG-U1\n".utf8)

    /// The most bytes of one URL's responses; limits the memory that a damaged or foreign file can take.
    static let largestFile = 1 << 30
    /// The most bytes of the rest of a file, such as its URL.
    static let largestHead = 1 << 20
}

extension FolderCacheStore {
    func read(_ name: String) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try folder.read(name, upTo: min(limit, Self.largestFile) + Self.largestHead)
    }

    func fileName(of key: CacheKey) -> String { Self.fileName(of: key, self.key) }

    static func fileName(of key: CacheKey, _ hashKey: [UInt8]) -> String {
        let text = "\(key.host ?? "")\n\(key.url)"
        let hash = SHA512_256.hash(hashKey + Array(text.utf8)).prefix(16)
        return Array(hash).hexadecimal + ending
    }

    static let ending = ".http"

    /// Returns whether the cache made this file: its name is 32 hex digits and ".http".
    static func isOurs(_ name: String) -> Bool {
        name.utf8.count == 32 + ending.utf8.count && name.hasSuffix(ending)
            && name.utf8.prefix(32).allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    static let format = Array("PLDG-C2\n".utf8)

    func file(of key: CacheKey, _ content: FolderCacheTable.Content) -> [UInt8] {
        var writer = ByteWriter(process: process)
        writer.add(key.url.utf8)
        writer.add(key.host)
        writer.add(fixed: content.lineage)
        writer.add(content.entries.count)
        for entry in content.entries { writer.add(entry) }
        return CachedResponse.sealed(writer.bytes, as: Self.format)
    }

    /// A file's responses; nil if it's damaged, of another version, or of another URL.
    func content(in bytes: [UInt8], of key: CacheKey) -> FolderCacheTable.Content? {
        guard let content = CachedResponse.opened(bytes, as: Self.format) else { return nil }
        var reader = ByteReader(content, process: process)
        guard reader.text() == key.url, reader.textIfAny() == key.host else { return nil }
        let lineage = reader.fixed()
        var entries: [CachedResponse] = []
        for _ in 0..<reader.count() { entries.append(reader.response()) }
        return reader.isComplete ? .init(entries: entries, lineage: lineage) : nil
    }

    /// A file's URL and responses; nil if it's damaged or of another version.
    func content(of bytes: [UInt8]) -> (CacheKey, [CachedResponse])? {
        guard let content = CachedResponse.opened(bytes, as: Self.format) else { return nil }
        var reader = ByteReader(content, process: process)
        let (text, host) = (reader.text(), reader.textIfAny())
        guard let url = URL(string: text), let key = CacheKey(url, host: host),
            let content = self.content(in: bytes, of: key)
        else { return nil }
        return (key, content.entries)
    }

    func urlFiles() throws(FileError) -> [FileInFolder] {
        try folder.files().filter { Self.isOurs($0.name) }
    }

    /// A free name for an unfinished file.
    ///
    /// Leftovers with that name are removed; if that fails, for example for a folder, the next name is tried.
    func freePart(_ number: Int) throws(FileError) -> String {
        var (suffix, tries) = ("\(number)", 0)
        while true {
            do {
                try folder.remove(Self.partName(suffix))
                return Self.partName(suffix)
            } catch  where error.isOfOneFile && tries < 3 {
                suffix = "\(number)-\(UInt32.random(in: 0 ... .max))"
                tries += 1
            }
        }
    }

    /// Removes a URL's file; false if that's impossible, as for a folder, which counts as absent anyway.
    func remove(_ name: String) throws(FileError) -> Bool {
        do { try folder.remove(name) } catch  where error.isOfOneFile { return false }
        return true
    }

    /// Nanoseconds since 1970; each time later than the one before, even if the clock goes back.
    static func now() -> Int64 {
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        return last.withLock { last in
            last = max(last + 1, now)
            return last
        }
    }

    private static let last = Locked<Int64>(0)
}
