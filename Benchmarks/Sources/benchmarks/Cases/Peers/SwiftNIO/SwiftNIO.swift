#if Peers
import NIOCore
import NIOPosix

extension Peers {
    static let nio = nioBasics + nioMaps + nioTogether + nioContended + nioAwait + nioTimeouts

    /// The event loop that all cases run on.
    static let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
}

extension Way {
    /// SwiftNIO's way, run on its event loop, where its futures take no lock and never hop.
    init(onLoop body: @escaping @Sendable (_ count: Int) -> Void) {
        self.init(measuring: "SwiftNIO") { count in
            try! await Peers.loop.submit { Cost.of { body(count) } }.get()
        }
    }
}
#endif
