// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Apple's C library, made of Glibc: what has another type there, and what only one of the two has.
@_exported import Glibc

public let SOCK_STREAM: Int32 = 1
public let SOCK_DGRAM: Int32 = 2
public let SO_NOSIGPIPE: Int32 = 0x1022

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public func pthread_self() -> pthread_t { fatalError() }
public func pthread_equal(_ one: pthread_t?, _ other: pthread_t?) -> Int32 { fatalError() }

public typealias integer_t = Int32
public typealias mach_msg_type_number_t = UInt32
public typealias task_flavor_t = UInt32
public struct task_vm_info_data_t {
    public var phys_footprint: UInt64 = 0
    public init() {}
}
public let TASK_VM_INFO: Int32 = 22
public let KERN_SUCCESS: Int32 = 0
public nonisolated(unsafe) var mach_task_self_: UInt32 = 0
public func task_info(
    _ task: UInt32, _ flavor: task_flavor_t, _ info: UnsafeMutablePointer<integer_t>!,
    _ count: UnsafeMutablePointer<mach_msg_type_number_t>!
) -> Int32 { fatalError() }

@available(*, unavailable) public var SOCK_CLOEXEC: Int32 { fatalError() }
@available(*, unavailable) public var SOCK_NONBLOCK: Int32 { fatalError() }
@available(*, unavailable) public var MSG_NOSIGNAL: Int32 { fatalError() }
@available(*, unavailable) public func gettid() -> Int32 { fatalError() }
@available(*, unavailable) public func pipe2(
    _ ends: UnsafeMutablePointer<Int32>!, _ flags: Int32
) -> Int32 { fatalError() }
@available(*, unavailable) public func accept4(
    _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!,
    _ size: UnsafeMutablePointer<socklen_t>!, _ flags: Int32
) -> Int32 { fatalError() }

extension stat {
    public var st_mtimespec: timespec { fatalError() }
    public var st_atimespec: timespec { fatalError() }
}
