import CCurl
import Futures
import HTTPNetworking

extension CurlLoop {
    /// Begins a call.
    func start(_ call: CurlCall, _ handle: EasyHandle) {
        let transfer = Transfer(call, handle, self)
        transfers[ObjectIdentifier(call)] = transfer
        // A body is opened first: if that fails, nothing is sent.
        if handle.readsBody { transfer.openUpload() } else { add(transfer) }
    }

    /// Continues to send a request whose body has more bytes.
    func resumeSending(_ transfer: Transfer) {
        if transfer.isAdded { return transfer.handle.resume() }
        guard let error = transfer.upload?.failure else { return add(transfer) }
        end(transfer.call, with: transfer.call.unreadable(error))
    }

    /// The transfer of a call; nil if it has ended.
    func transfer(of call: CurlCall) -> Transfer? { transfers[ObjectIdentifier(call)] }

    private func add(_ transfer: Transfer) {
        transfer.isAdded = true
        starters.append(transfer)
        guard ccurl_multi_add(multi, transfer.handle.easy) == 0 else {
            return end(
                transfer.call, with: transfer.call.failure(.other, reason: "there is no memory"))
        }
    }

    /// Ends a call before its response is complete; harmless if it has ended.
    func end(_ call: CurlCall, with error: any Error) {
        guard let transfer = transfer(of: call) else { return }
        remove(transfer)
        finish(transfer, .failure(error))
    }

    /// Processes the transfers that have ended in libcurl.
    func finishEnded() {
        var code: Int32 = 0
        while let easy = ccurl_multi_next_ended(multi, &code) {
            let transfer = Transfer.at(ccurl_context(easy))
            transfer.repeatIfConnectionWasLost(code)
            let result = transfer.result(code)
            kept.note(easy)
            remove(transfer)
            if transfer.isToBeRepeated {
                transfer.restart()
                transfers[ObjectIdentifier(transfer.call)] = transfer
                add(transfer)
            } else {
                finish(transfer, result)
            }
        }
    }

    private func remove(_ transfer: Transfer) {
        transfers[ObjectIdentifier(transfer.call)] = nil
        guard transfer.isAdded else { return }
        transfer.isAdded = false
        // libcurl closes the connection if an answer is still expected on it.
        _ = ccurl_multi_remove(multi, transfer.handle.easy)
    }

    private func finish(_ transfer: Transfer, _ result: Result<Void, any Error>) {
        let call = transfer.call
        call.finish()
        transfer.upload?.cancel()
        flush(transfer)
        let pipe = transfer.pipe
        let result = result.mapError { transfer.keepingPart($0) }
        let response = transfer.takeWhole()
        let handle = transfer.handle
        let job = ResultDelivery.Job { [handles = engine.handles] in
            defer { handles.giveBack(handle) }
            // The job that delivers the head may still be under way on another thread.
            guard let pipe else { return call.settle(result.map { response }) }
            switch result {
            case .success: pipe.finish()
            case .failure(let error): pipe.fail(error)
            }
        }
        results.append(job)
    }

    /// Delivers the bytes of bodies that arrived in this turn.
    func handOutBodies() {
        // A transfer that continues to receive is added again.
        var index = 0
        while index < receivers.count {
            let transfer = receivers[index]
            flush(transfer)
            transfer.endReceiving()
            index += 1
        }
        receivers.removeAll(keepingCapacity: true)
    }

    private func flush(_ transfer: Transfer) {
        guard let pipe = transfer.pipe, !transfer.unread.isEmpty else { return }
        let bytes = transfer.takeUnread()
        let room = pipe.write(bytes)
        if room.isSettled { return }
        transfer.isFull = true
        transfer.call.expectNothing()
        room.observe { [call = transfer.call, engine] _ in engine.submit(.receive(call)) }
    }

    /// Watches the calls that still wait for a connection.
    func noteWaiting() {
        // A transfer that has ended in the turn in which it began does not wait, and its watch would not be
        // stopped.
        for transfer in starters where transfer.isAdded && !transfer.hasConnection {
            transfer.call.waitForConnection()
        }
        starters.removeAll(keepingCapacity: true)
    }
}
