#if Peers
import NIOCore
import NIOPosix

extension Peers {
    static let nio: [Addition] = nioBasics + nioContended
}

extension Way {
    /// SwiftNIO's way, on an event loop: there its futures take no lock and never hop.
    init(onLoop body: @escaping @Sendable (_ loop: any EventLoop, _ count: Int) -> Void) {
        self.init(measuring: "SwiftNIO") { count in
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            return try! await loop.submit { Cost.of { body(loop, count) } }.get()
        }
    }
}
#endif
