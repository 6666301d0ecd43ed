import Foundation

/// What the process holds in memory now.
func residentBytes() -> Int { status("VmRSS:") }

/// The most that the process has held in memory.
func peakResidentBytes() -> Int { status("VmHWM:") }

#if os(Linux)
private func status(_ field: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    return (kilobytes.flatMap { Int($0) } ?? 0) * 1024
}
#elseif canImport(Darwin)
private func status(_ field: String) -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
}
#endif
