import CLoopback

/// Ports on 127.0.0.1 that were free a moment ago.
func freePorts(_ count: Int) throws -> [UInt16] {
    let ports = (0..<count).map { _ in loopback_free_port() }
    guard ports.allSatisfy({ $0 > 0 }) else {
        throw Complaint("the system refuses a port on 127.0.0.1")
    }
    return ports.map { UInt16($0) }
}

/// Waits a few seconds for a server, and returns whether it accepts connections.
func waitForServer(_ port: UInt16) -> Bool { loopback_wait_for(Int32(port), 5_000) != 0 }
