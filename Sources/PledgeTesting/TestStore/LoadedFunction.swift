#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A Swift function of one of the libraries that this process has loaded.
struct LoadedFunction: Sendable {
    private let address: UInt

    /// Finds a function.
    ///
    /// - Parameter name: Its symbol, as the linker knows it.
    /// - Returns: Nil if no library has it.
    init?(named name: String) {
        #if canImport(Darwin)
        let anywhere = UnsafeMutableRawPointer(bitPattern: -2)  // RTLD_DEFAULT
        #else
        let anywhere: UnsafeMutableRawPointer? = nil
        #endif
        guard let symbol = dlsym(anywhere, name) else { return nil }
        address = UInt(bitPattern: symbol)
    }

    /// The function as the only property of a struct.
    ///
    /// A struct is needed: a bare function value would be converted to its generic form, which takes all
    /// arguments by address.
    ///
    /// - Parameter type: The struct, whose property has the function's type as a thin type: an address
    ///   without a context.
    func cast<Holder>(to type: Holder.Type) -> Holder {
        precondition(MemoryLayout<Holder>.size == MemoryLayout<UInt>.size, "a thin function")
        return unsafeBitCast(address, to: type)
    }
}
