package import PledgeHTTPMessages

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension FileError {
    /// The error of a file or folder that somebody else has made or can change.
    ///
    /// - Parameter reason: What is wrong, after the file's name, such as "belongs to user 1001".
    fileprivate static func foreign(_ path: String, _ reason: String) -> FileError {
        var error = FileError(operation: "open", code: EPERM, path: path)
        error.reason = "\(reason); \(remedy)"
        return error
    }

    /// The error of an `open` that has just failed on this thread; it says so if there is a link that wasn't followed.
    package static func ofOpening(_ path: String) -> FileError {
        var error = FileError(operation: "open", code: errno, path: path)
        var facts = stat()
        if error.code == ELOOP, lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK {
            error.reason = "is a link; \(remedy)"
        }
        return error
    }

    private static var remedy: String { "remove it, or use another folder" }

    /// True if the file was refused because somebody else has made it or can change it.
    package var isOfForeignFile: Bool { code == EPERM && reason != nil }

    /// Returns the length of an open file that only the current user can have written, in bytes.
    ///
    /// A file that decides where bodies go, which bytes are right or who is signed in is read only if it's a regular
    /// file of the process's user, has one name and can't be written by others. The check is of the open file, so nobody
    /// can replace the file between the check and its use.
    ///
    /// - Parameters:
    ///   - descriptor: The open file.
    ///   - path: The path for the error's words.
    /// - Throws: The error of `fstat`, or an error for which ``isOfForeignFile`` is true.
    @discardableResult
    package static func checkOwn(_ descriptor: Int32, _ path: String) throws(FileError) -> Int {
        Int(try factsOfOwn(descriptor, path).st_size)
    }

    /// Returns what the system knows of an open file that only the current user can have written; see ``checkOwn(_:_:)``.
    static func factsOfOwn(_ descriptor: Int32, _ path: String) throws(FileError) -> stat {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            throw FileError(operation: "fstat", code: errno, path: path)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw foreign(path, "is no regular file")
        }
        guard facts.st_uid == geteuid() else {
            throw foreign(path, "belongs to user \(facts.st_uid), not to user \(geteuid())")
        }
        // Another user may have linked a file of ours under this name.
        guard facts.st_nlink <= 1 else { throw foreign(path, "has \(facts.st_nlink) names") }
        try check(facts, path)
        return facts
    }

    /// Checks that nobody else can add or replace files in a folder.
    ///
    /// A folder that root owns is accepted too, because root can do anything anyway.
    package static func checkOwnFolder(_ path: String) throws(FileError) {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            throw FileError(operation: "stat", code: errno, path: path)
        }
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw foreign(path, "belongs to user \(facts.st_uid), not to user \(geteuid())")
        }
        try check(facts, path)
    }

    /// Checks that others can't write a file or folder.
    ///
    /// Some systems give each user a group with the user's number, and new files and folders to that group: nobody else
    /// is in it.
    private static func check(_ facts: stat, _ path: String) throws(FileError) {
        let isGroupOfUser = facts.st_gid == facts.st_uid
        guard facts.st_mode & (isGroupOfUser ? 0o002 : 0o022) == 0 else {
            let mode = String(facts.st_mode & 0o777, radix: 8)
            throw foreign(path, "can be written by others (its mode is \(mode))")
        }
    }
}

extension URL {
    /// The permissions of the file or folder with this name; nil if there is none, or a link.
    package var filePermissions: UInt32? {
        var facts = stat()
        guard withPath({ lstat($0, &facts) }) == 0, facts.st_mode & S_IFMT != S_IFLNK else {
            return nil
        }
        return UInt32(facts.st_mode & 0o777)
    }

    /// True if this is the path of a folder, or of a link to one.
    package var isFolder: Bool {
        var facts = stat()
        return withPath({ stat($0, &facts) }) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// The permissions of an open file.
    package static func filePermissions(of descriptor: Int32) -> UInt32? {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? UInt32(facts.st_mode & 0o777) : nil
    }

    /// Returns whether this is the path of an open file.
    package func isName(of descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && withPath { lstat($0, &named) } == 0
            && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }
}
