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
/// What Apple's systems count against the process; getrusage has only the peak, which never falls.
private func residentBytes() -> Int {
    var info = task_vm_info_data_t()
    let words = MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<integer_t>.size
    var count = mach_msg_type_number_t(words)
    let status = withUnsafeMutablePointer(to: &info) { pointer in
        pointer.withMemoryRebound(to: integer_t.self, capacity: words) {
            task_info(mach_task_self_, task_flavor_t(TASK_VM_INFO), $0, &count)
        }
    }
    precondition(status == KERN_SUCCESS, "task_info answers \(status)")
    return Int(info.phys_footprint)
}
#endif
