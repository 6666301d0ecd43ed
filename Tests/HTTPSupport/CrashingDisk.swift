import Foundation
import PledgeFutures
package import PledgeHTTPMessages
package import PledgeHTTPTransportKit
package import PledgeStorage

/// A folder on a disk in memory, which fails or loses its power when the test says so.
///
/// As on a real disk, a file's bytes are safe once the file was synced, and its name once the folder was. What is not
/// safe at a crash is there, is lost, or is there in part, in any order, as the seed chooses.
package final class CrashingDisk: StorageFolder, StoragePlaces {
    private final class File {
        var bytes: [UInt8]
        var isSynced = false
        let version: FileVersion
        var used: Int64

        init(_ bytes: [UInt8], _ version: FileVersion) {
            self.bytes = bytes
            self.version = version
            used = version.modified
        }
    }

    private enum NameChange {
        case add(String, File)
        case rename(String, String)
        case remove(String)
    }

    private struct State {
        var names: [String: File] = [:]
        /// The names after the last sync of the folder, and what has changed since.
        var safe: [String: File] = [:]
        var changes: [NameChange] = []
        var lastInode: UInt64 = 0
        /// How many more operations succeed; nil for all.
        var operations: Int?
        var count = 0
        var failure: Int32?
        var places: Set<Int64> = []
        var othersHavePlaces = false
        var leaving: (@Sendable () -> Void)?
    }

    private let state: Locked<State>

    package init() { state = Locked(State()) }

    /// The number of the operations so far.
    package var count: Int { state.withLock { $0.count } }

    /// The names of the files, sorted.
    package var names: [String] { state.withLock { $0.names.keys.sorted() } }

    /// Returns whether a file has a text.
    package func holds(_ text: String) -> Bool {
        state.withLock { state in
            state.names.values.contains {
                String(decoding: $0.bytes, as: UTF8.self).contains(text)
            }
        }
    }

    /// The bytes of all files.
    package var bytes: Int { state.withLock { $0.names.values.reduce(0) { $0 + $1.bytes.count } } }

    /// Lets a number of further operations succeed; those after them fail with an error number.
    package func fail(after operations: Int, with code: Int32) {
        state.withLock { ($0.operations, $0.failure) = (operations, code) }
    }

    /// Lets all operations succeed again.
    package func recover() { state.withLock { ($0.operations, $0.failure) = (nil, nil) } }

    /// The places that are taken.
    package var places: Set<Int64> { state.withLock { $0.places } }

    /// Lets another process have all places, or none.
    package func setOthersHavePlaces(_ value: Bool) {
        state.withLock { $0.othersHavePlaces = value }
    }

    /// Calls a function each time that a place is left.
    package func onLeaving(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.leaving = body }
    }

    package func takePlace(_ place: Int64) -> Bool? {
        state.withLock { state in
            if state.othersHavePlaces { return false }
            return state.places.insert(place).inserted ? true : nil
        }
    }

    package func leave(_ place: Int64) {
        state.withLock { state in
            state.places.remove(place)
            return state.leaving
        }?()
    }

    /// Changes a file's bytes, as a fault of the disk or another program.
    package func damage(_ name: String, _ change: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard let file = state.names[name] else { return }
            var bytes = file.bytes
            change(&bytes)
            state.lastInode += 1
            state.names[name] = File(
                bytes, FileVersion(inode: state.lastInode, size: bytes.count, modified: 0))
        }
    }

    /// Returns the disk as it may be after a loss of power.
    package func crashed(_ random: inout some RandomNumberGenerator) -> CrashingDisk {
        let disk = CrashingDisk()
        state.withLock { state in
            var names = state.safe
            // A file system may write the changes of names in any order, but each as a whole.
            for change in state.changes.shuffled(using: &random) where Bool.random(using: &random) {
                switch change {
                case .add(let name, let file): names[name] = file
                case .rename(let old, let new):
                    guard let file = names.removeValue(forKey: old) ?? state.names[new] else {
                        continue
                    }
                    names[new] = file
                case .remove(let name): names[name] = nil
                }
            }
            for (name, file) in names {
                var bytes = file.bytes
                if !file.isSynced, !bytes.isEmpty {
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
                    case 1:
                        let start = Int.random(in: 0..<bytes.count, using: &random)
                        for index in start..<bytes.count { bytes[index] = 0 }
                    default: break
                    }
                }
                disk.state.withLock { disk in
                    disk.lastInode += 1
                    let version = FileVersion(
                        inode: disk.lastInode, size: bytes.count, modified: file.version.modified)
                    let file = File(bytes, version)
                    file.isSynced = true
                    disk.names[name] = file
                    disk.safe[name] = file
                }
            }
        }
        return disk
    }

    /// Performs one operation, unless the test has it fail.
    private func perform<Value>(
        _ operation: String, _ name: String = "",
        _ body: (inout State) -> Result<Value, FileError>
    ) throws(FileError) -> Value {
        try state.withLock { state -> Result<Value, FileError> in
            state.count += 1
            if let left = state.operations {
                // A full disk still removes files.
                let isPossible = state.failure == ENOSPC && operation != "write"
                guard left > 0 || isPossible else {
                    return .failure(
                        FileError(operation: operation, code: state.failure ?? EIO, path: name))
                }
                state.operations = max(0, left - 1)
            }
            return body(&state)
        }.get()
    }

    package func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try perform("read", name) {
            state -> Result<(bytes: [UInt8], version: FileVersion)?, FileError> in
            guard let file = state.names[name] else { return .success(nil) }
            guard file.bytes.count <= limit else {
                return .failure(FileError(operation: "read", code: EFBIG, path: name))
            }
            return .success((file.bytes, file.version))
        }
    }

    package func version(of name: String) -> FileVersion? {
        state.withLock { $0.names[name]?.version }
    }

    package func write(_ bytes: [UInt8], to name: String, at time: Int64) throws(FileError) {
        try perform("write", name) { state -> Result<Void, FileError> in
            guard state.names[name] == nil else {
                return .failure(FileError(operation: "open", code: EEXIST, path: name))
            }
            state.lastInode += 1
            let file = File(
                bytes, FileVersion(inode: state.lastInode, size: bytes.count, modified: time))
            state.names[name] = file
            state.changes.append(.add(name, file))
            return .success(())
        }
    }

    package func sync(_ name: String) throws(FileError) {
        try perform("fsync", name) { state -> Result<Void, FileError> in
            state.names[name]?.isSynced = true
            return .success(())
        }
    }

    package func rename(_ old: String, to new: String) throws(FileError) {
        try perform("rename", new) { state -> Result<Void, FileError> in
            guard let file = state.names.removeValue(forKey: old) else {
                return .failure(FileError(operation: "rename", code: ENOENT, path: old))
            }
            state.names[new] = file
            state.changes.append(.rename(old, new))
            return .success(())
        }
    }

    package func remove(_ name: String) throws(FileError) {
        try perform("unlink", name) { state -> Result<Void, FileError> in
            if state.names.removeValue(forKey: name) != nil { state.changes.append(.remove(name)) }
            return .success(())
        }
    }

    package func syncFolder() throws(FileError) {
        try perform("fsync") { state -> Result<Void, FileError> in
            state.safe = state.names
            state.changes = []
            return .success(())
        }
    }

    package func files() throws(FileError) -> [FileInFolder] {
        try perform("opendir") { state -> Result<[FileInFolder], FileError> in
            .success(
                state.names.map {
                    FileInFolder(name: $0, space: $1.bytes.count, used: $1.used)
                })
        }
    }

    package func setLastUse(of name: String, to time: Int64) {
        state.withLock { $0.names[name]?.used = time }
    }

    package func create() throws(FileError) { try perform("mkdir") { _ in .success(()) } }

    package func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        try perform("flock") { _ in .success(()) }
        try body()
    }
}
