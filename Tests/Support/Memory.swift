import Foundation

/// The memory of the process in bytes: its allocations if a sanitizer counts them, since a sanitizer keeps
/// freed memory for a while; otherwise its resident pages.
public func heldBytes() -> Int { allocatedBytes?() ?? residentBytes() }

private let allocatedBytes: (@convention(c) () -> Int)? =
    dlsym(dlopen(nil, RTLD_NOW), "__sanitizer_get_current_allocated_bytes")
    .map { unsafeBitCast($0, to: (@convention(c) () -> Int).self) }

#if os(Linux)
private func residentBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    return (kilobytes.flatMap { Int($0) } ?? 0) * 1024
}
#elseif canImport(Darwin)
private func residentBytes() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
}
#endif
