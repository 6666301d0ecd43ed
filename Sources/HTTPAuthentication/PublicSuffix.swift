#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The domains below which anybody may register names, such as "co.uk".
package enum PublicSuffix {
    /// Returns whether anybody may register names directly below a domain.
    ///
    /// On Linux, libpsl knows the list of public suffixes (publicsuffix.org), if the system has it; curl needs it too,
    /// so most systems do. Everywhere else, the answer comes from Pledge's copy of the list, as of 2026-10-22.
    ///
    /// - Parameter domain: The domain, in lower case; a label that isn't ASCII in Punycode.
    package static func contains(_ domain: String) -> Bool {
        list.map { $0.contains(domain) } ?? isListed(domain)
    }

    /// Looks a domain up in the list that Pledge contains.
    static func isListed(_ domain: String) -> Bool {
        guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        // "*.nom.br" makes each name below nom.br public, and so also nom.br itself.
        if let below = labels[Substring(domain)], below.utf8.contains(UInt8(ascii: "*")) {
            return true
        }
        let label = domain.utf8[..<dot]
        guard let labels = labels[domain[dot...].dropFirst()] else { return false }
        var isPublic = false
        for rule in labels.utf8.split(separator: UInt8(ascii: " ")) {
            if rule.first == UInt8(ascii: "!"), rule.dropFirst().elementsEqual(label) {
                return false
            }
            isPublic = isPublic || rule.elementsEqual("*".utf8) || rule.elementsEqual(label)
        }
        return isPublic
    }

    /// For each parent, the labels that make public suffixes with it, separated by spaces.
    private static let labels: [Substring: Substring] = {
        var labels: [Substring: Substring] = [:]
        for line in rules.utf8.split(separator: UInt8(ascii: "\n")) {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { continue }
            labels[Substring(line[..<space])] = Substring(line[space...].dropFirst())
        }
        return labels
    }()

    /// Nil if the system has no libpsl.
    private static let list = LibPSL()
}

/// The system's libpsl, looked up at run time.
private struct LibPSL: @unchecked Sendable {
    // Unchecked, because the library's built-in list never changes.
    private let list: OpaquePointer
    private let isPublic: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32

    init?() {
        #if os(Linux)
        guard let library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL),
            let builtin = dlsym(library, "psl_builtin"),
            let isPublic = dlsym(library, "psl_is_public_suffix")
        else { return nil }
        typealias Builtin = @convention(c) () -> OpaquePointer?
        typealias IsPublic = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
        // The library may be built without a list.
        guard let list = unsafeBitCast(builtin, to: Builtin.self)() else { return nil }
        self.list = list
        self.isPublic = unsafeBitCast(isPublic, to: IsPublic.self)
        #else
        return nil
        #endif
    }

    func contains(_ domain: String) -> Bool { isPublic(list, domain) != 0 }
}
