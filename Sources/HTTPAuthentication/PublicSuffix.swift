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
public enum PublicSuffix {
    /// Returns whether anybody may register names directly below a domain.
    ///
    /// On Linux, libpsl knows the list of public suffixes (publicsuffix.org), if the system has it; curl needs it too,
    /// so most systems do. Without it, a rule of thumb applies: a domain of two labels is public if its second label
    /// has two letters, and its first is a usual one for registries, such as "co", "com" or "ac".
    ///
    /// - Parameter domain: The domain, in lower case.
    public static func contains(_ domain: String) -> Bool {
        list.map { $0.contains(domain) } ?? isProbable(domain)
    }

    /// Returns whether a domain is probably public, judged by its labels.
    static func isProbable(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count == 2 else { return labels.count == 1 }
        return labels[1].utf8.count == 2 && registries.contains(String(labels[0]))
    }

    private static let registries: Set<String> = [
        "ac", "co", "com", "ed", "edu", "go", "gob", "gouv", "gov", "govt", "gv", "id", "ind",
        "inf", "info", "ltd", "me", "mil", "muni", "ne", "net", "nhs", "nom", "or", "org", "plc",
        "pro", "sch", "school", "web",
    ]

    /// The list of libpsl; nil if the system doesn't have it.
    private static let list = LibPSL()
}

/// libpsl, looked up at run time.
private struct LibPSL: @unchecked Sendable {
    // Unchecked: the list that is built into the library never changes.
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
        // A build of the library may contain no list.
        guard let list = unsafeBitCast(builtin, to: Builtin.self)() else { return nil }
        self.list = list
        self.isPublic = unsafeBitCast(isPublic, to: IsPublic.self)
        #else
        return nil
        #endif
    }

    func contains(_ domain: String) -> Bool { isPublic(list, domain) != 0 }
}
